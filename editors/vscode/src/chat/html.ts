/** The page of the chat: one script, one style sheet, and nothing from anywhere else. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** The page; its content-security policy lets only the script with the nonce run. */
export function chatPage(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const file = (name: string): vscode.Uri =>
    webview.asWebviewUri(vscode.Uri.joinPath(extension, "out", name));
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    "img-src data:",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("webview.css").toString()}">
<title>pi</title>
</head>
<body>
<div id="chat"></div>
<script nonce="${nonce}" src="${file("webview.js").toString()}"></script>
</body>
</html>`;
}
