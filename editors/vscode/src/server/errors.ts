/** Requests that were not answered as hoped. */

import { ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";
import type { ErrorData } from "../protocol";

/** A request that the server refused: `code` is the error's name in docs/protocol.md. */
export class PiError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** The server was not there to answer; its card in the chat says so already. */
  static notRunning(): PiError {
    return new PiError("not_running", "The pi server is not running. Restart it with “pi: Restart Server”.");
  }

  /** The error of a request, whatever was thrown. */
  static of(error: unknown): PiError {
    if (!(error instanceof ResponseError)) return PiError.notRunning();
    if (error.code === ErrorCodes.PendingResponseRejected || error.code === ErrorCodes.ConnectionInactive) {
      return PiError.notRunning();
    }
    if (error.code === LSPErrorCodes.RequestCancelled) return new PiError("cancelled", error.message);
    const data = error.data as ErrorData | undefined;
    return new PiError(data?.code ?? "internal", error.message);
  }
}
