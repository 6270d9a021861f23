import { CarrierError } from '../carrier-error.js';
import type { TemplateExample } from '../templates.js';
import type { GraphCall } from './send/graph-client.js';

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
};

type CallMeta = (call: Omit<GraphCall, 'token'>) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Uploads the file in a single request (Meta, "Resumable Upload API"). Uploads belong to an app, whose ID is looked up
 * with the token.
 * @throws {CarrierError}
 */
export async function uploadExample(
  callMeta: CallMeta,
  token: string,
  { type, size, open }: TemplateExample,
): Promise<string> {
  const tokenInfo = await callMeta({ method: 'GET', path: 'debug_token', query: { input_token: token } });
  const { app_id: appId } = (tokenInfo.data ?? {}) as { app_id?: unknown };
  if (typeof appId !== 'string' || !/^\d+$/.test(appId))
    throw createResponseError('does not name the app of the token');
  const query = {
    file_name: `example.${EXTENSIONS[type] ?? 'bin'}`,
    file_length: String(size),
    file_type: type,
  };
  const { id } = await callMeta({ method: 'POST', path: `${appId}/uploads`, query });
  // The upload ID becomes the path of the next request, so the ID must have the documented form.
  if (typeof id !== 'string' || !/^upload:[\w+/=.:?&%-]+$/.test(id)) throw createResponseError('contains no upload ID');
  const { h: handle } = await callMeta({ method: 'POST', path: id, file: { type, length: size, bytes: await open() } });
  if (typeof handle !== 'string' || handle === '') throw createResponseError('contains no file handle');
  return handle;
}

function createResponseError(problem: string): CarrierError {
  return CarrierError.refused('BAD_ANSWER', `Meta's response to an upload ${problem}.`, { retryable: true });
}
