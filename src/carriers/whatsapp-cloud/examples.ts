import { CarrierError } from '../carrier-error.js';
import type { TemplateExample } from '../templates.js';
import type { GraphCall } from './send/graph-client.js';

/** Names that Meta shows of files, by their type. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
};

type Ask = (call: Omit<GraphCall, 'token'>) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Uploads a file that no message sends, in one piece, which is read as it is sent (Meta, "Resumable Upload API"). Uploads belong to an app, which the
 * token tells.
 * @returns its handle
 * @throws {CarrierError} when Meta does not take it
 */
export async function uploadExample(ask: Ask, token: string, { type, size, open }: TemplateExample): Promise<string> {
  const inspected = await ask({ method: 'GET', path: 'debug_token', query: { input_token: token } });
  const { app_id: appId } = (inspected.data ?? {}) as { app_id?: unknown };
  if (typeof appId !== 'string' || !/^\d+$/.test(appId)) throw strange('does not say whose app the token is');
  const query = {
    file_name: `example.${ENDINGS[type] ?? 'bin'}`,
    file_length: String(size),
    file_type: type,
  };
  const { id } = await ask({ method: 'POST', path: `${appId}/uploads`, query });
  // It becomes the path of the next request, and of nothing else.
  if (typeof id !== 'string' || !/^upload:[\w+/=.:?&%-]+$/.test(id)) throw strange('names no upload');
  const { h: handle } = await ask({ method: 'POST', path: id, file: { type, length: size, bytes: await open() } });
  if (typeof handle !== 'string' || handle === '') throw strange('names no file');
  return handle;
}

function strange(what: string): CarrierError {
  return CarrierError.refused('BAD_ANSWER', `The answer of Meta to an upload ${what}.`, { retryable: true });
}
