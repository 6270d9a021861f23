import type { TestChannel } from '../channels.js';
import type { TestApp } from '../test-app.js';

const BOUNDARY = 'a-boundary-of-its-own';

export interface FormPart {
  name?: string;
  bytes: Buffer;
  type?: string | undefined;
  filename?: string | undefined;
}

export interface FormField {
  name: string;
  value: string;
}

export function buildForm(...parts: (FormPart | FormField)[]): { payload: Buffer; headers: Record<string, string> } {
  const encodedParts = parts.map((part) => {
    if ('value' in part) {
      const { name, value } = part;
      return Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
    }
    const { name = 'file', bytes, type, filename = 'file' } = part;
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n`;
    return Buffer.concat([
      Buffer.from(`${head}${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`),
      bytes,
      Buffer.from('\r\n'),
    ]);
  });
  return {
    payload: Buffer.concat([...encodedParts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
  };
}

export function upload(
  { app }: Pick<TestApp, 'app'>,
  channel: Pick<TestChannel, 'headers'>,
  part: FormPart,
  extra: Record<string, string> = {},
) {
  const { payload, headers } = buildForm(part);
  return app.inject({
    method: 'POST',
    url: '/api/v1/media',
    headers: { ...channel.headers, ...headers, ...extra },
    payload,
  });
}
