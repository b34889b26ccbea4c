/** Pictures and files that are pasted or dropped into the composer. */

import type { ImageAttachment } from "../../src/protocol";

const TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MAX_BYTES = 20 * 1024 * 1024;

export interface Dropped {
  images: ImageAttachment[];
  /** Files of the explorer or of an editor's tab. */
  uris: string[];
  /** What could not be taken, as sentences. */
  refused: string[];
}

/** Read what is in a paste or a drop. */
export async function takeTransfer(transfer: DataTransfer): Promise<Dropped> {
  // The transfer is emptied when the event is over: take all of it before the first wait.
  const files = [...transfer.files];
  const uris = urisOf(transfer);
  const dropped: Dropped = { images: [], uris, refused: [] };
  for (const file of files) {
    if (!TYPES.has(file.type)) {
      if (uris.length === 0)
        dropped.refused.push(`${file.name} is no picture that can be sent (png, jpeg, gif, webp).`);
    } else if (file.size > MAX_BYTES) {
      dropped.refused.push(`${file.name} is larger than 20 MB.`);
    } else {
      dropped.images.push({ data: await base64(file), mimeType: file.type });
    }
  }
  return dropped;
}

/** Whether there is anything that the composer takes besides text. */
export function holdsFiles(transfer: DataTransfer): boolean {
  return transfer.types.some(
    (type) => type === "Files" || type.endsWith("uri-list") || type === "resourceurls",
  );
}

function urisOf(transfer: DataTransfer): string[] {
  const list = transfer.getData("application/vnd.code.uri-list") || transfer.getData("text/uri-list");
  if (list) return list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
  const resources = transfer.getData("resourceurls");
  return resources ? (JSON.parse(resources) as string[]) : [];
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = reader.result as string;
      resolve(address.slice(address.indexOf(",") + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error(`${file.name} could not be read.`));
    reader.readAsDataURL(file);
  });
}
