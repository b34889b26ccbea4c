/** What the server asks of the editor besides approval: saving, and what is wrong in files. */

import * as vscode from "vscode";
import type { Diagnostic, LanguageClient } from "vscode-languageclient/node";
import type { SaveAnswer, UrisParams } from "../protocol";

interface DocumentDiagnostics {
  uri: string;
  version?: number;
  items: Diagnostic[];
}

/** Save open documents; the answer names those that were saved. */
export async function saveDocuments(client: LanguageClient, params: UrisParams): Promise<SaveAnswer> {
  const saved: string[] = [];
  for (const uri of params.uris ?? []) {
    const document = openDocument(client.protocol2CodeConverter.asUri(uri));
    if (document && (await document.save())) saved.push(uri);
  }
  return { saved };
}

/** The diagnostics of all of the editor's servers, of the files asked for or of all. */
export function diagnosticsOf(
  client: LanguageClient,
  params: UrisParams,
): { diagnostics: DocumentDiagnostics[] } {
  const asked = params.uris?.map((uri): [string, vscode.Uri] => [
    uri,
    client.protocol2CodeConverter.asUri(uri),
  ]);
  const files: [string, vscode.Uri][] =
    asked ??
    vscode.languages
      .getDiagnostics()
      .filter(([, found]) => found.length > 0)
      .map(([uri]) => [client.code2ProtocolConverter.asUri(uri), uri]);
  const diagnostics = files.map(([uri, file]): DocumentDiagnostics => {
    const items = vscode.languages.getDiagnostics(file);
    return {
      uri,
      version: openDocument(file)?.version,
      items: items.map((item) => client.code2ProtocolConverter.asDiagnostic(item)),
    };
  });
  return { diagnostics };
}

function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}
