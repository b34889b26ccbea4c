/** What the server asks the extension (pi_lsp/server/protocol/client_requests.py). */

import type { Decision } from "./words";

export interface ApproveAnswer {
  decision: Decision;
  reason?: string | null;
}

export interface UrisParams {
  uris?: string[] | null;
}

export interface SaveAnswer {
  saved?: string[];
}

/** The data of an error answer; `code` is the error's name in protocol.md. */
export interface ErrorData {
  code: string;
}
