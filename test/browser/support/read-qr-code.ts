import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';

const decode = createRequire(join(import.meta.dirname, '../../../services/console/package.json'))(
  'qr/decode.js',
).default as (image: { width: number; height: number; data: Uint8Array }) => string;

/** The text of a QR code, read from what the browser shows. */
export async function readQrCode(code: Locator): Promise<string> {
  const png = (await code.screenshot()).toString('base64');
  const reader = await code.page().context().newPage();
  try {
    const image = await reader.evaluate<{ width: number; height: number; data: number[] }>(`(async () => {
      const bytes = Uint8Array.from(atob('${png}'), (each) => each.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const { width, height } = bitmap;
      const canvas = new OffscreenCanvas(width, height).getContext('2d');
      canvas.drawImage(bitmap, 0, 0);
      return { width, height, data: [...canvas.getImageData(0, 0, width, height).data] };
    })()`);
    return decode({ ...image, data: Uint8Array.from(image.data) });
  } finally {
    await reader.close();
  }
}
