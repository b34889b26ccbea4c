/**
 * The wire between the extension and the server, as docs/protocol.md describes it.
 *
 * This is a mirror: every interface has the name, the members and the optional marks of the class in
 * pi_lsp (server/protocol/ and agent/events.py) that it stands for, and test/protocol.test.ts fails
 * when the two drift apart. Nothing here does anything.
 */

import type * as p from "./params";
import type * as r from "./results";
import type { State, Statistics } from "./state";
import type { JsonObject } from "./words";

export * from "./client-requests";
export * from "./events";
export * from "./messages";
export * from "./params";
export * from "./results";
export * from "./state";
export * from "./words";

export const PROTOCOL_VERSION = 1;

/** Params and result of each request that an editor can send. */
export interface Requests {
  "pi/prompt": [p.PromptParams, r.PromptResult];
  "pi/continue": [p.Params, r.ContinueResult];
  "pi/steer": [p.MessageParams, r.QueuedResult];
  "pi/followUp": [p.MessageParams, r.QueuedResult];
  "pi/nextTurn": [p.MessageParams, r.QueuedResult];
  "pi/unqueue": [p.UnqueueParams, r.UnqueueResult];
  "pi/abort": [p.Params, r.AbortResult];
  "pi/state": [p.Params, State];
  "pi/messages": [p.MessagesParams, r.MessagesResult];
  "pi/entries": [p.EntriesParams, r.EntriesResult];
  "pi/tree": [p.TreeParams, r.TreeResult];
  "pi/navigate": [p.NavigateParams, r.NavigateResult];
  "pi/label": [p.LabelParams, JsonObject];
  "pi/fork": [p.ForkParams, r.ForkResult];
  "pi/clone": [p.Params, r.ForkResult];
  "pi/compact": [p.CompactParams, r.CompactResult];
  "pi/sessions": [p.Params, r.SessionsResult];
  "pi/newSession": [p.NewSessionParams, State];
  "pi/switchSession": [p.SessionParams, State];
  "pi/renameSession": [p.RenameSessionParams, JsonObject];
  "pi/deleteSession": [p.SessionParams, JsonObject];
  "pi/export": [p.ExportParams, r.ExportResult];
  "pi/models": [p.Params, r.ModelsResult];
  "pi/setModel": [p.SetModelParams, r.ModelResult];
  "pi/setThinkingLevel": [p.SetThinkingLevelParams, r.LevelResult];
  "pi/setQueueMode": [p.SetQueueModeParams, r.QueueModesResult];
  "pi/setAutoCompaction": [p.SetAutoCompactionParams, r.AutoCompactionResult];
  "pi/setApprovalMode": [p.SetApprovalModeParams, r.ApprovalModeResult];
  "pi/setApiKey": [p.SetApiKeyParams, JsonObject];
  "pi/setTrust": [p.SetTrustParams, JsonObject];
  "pi/bash": [p.BashParams, r.BashResult];
  "pi/health": [p.Params, r.HealthResult];
  "pi/stats": [p.Params, Statistics];
}

export type Method = keyof Requests;
export type ParamsOf<M extends Method> = Requests[M][0];
export type ResultOf<M extends Method> = Requests[M][1];
