import type { Operation } from './operations.js';

export interface Draft {
  /** Parameters by name; empty parameters are left out of the request. */
  parameters: Record<string, string>;
  /** JSON text as typed, or null if the operation has no body. */
  body: string | null;
}

export interface Credentials {
  key: string;
  secret: string;
  channelId: string;
}

export interface BuiltRequest {
  method: string;
  path: string;
  /** Headers without credentials. */
  headers: Record<string, string>;
  body: string | null;
}

/** @param to number that replaces the example's recipient */
export function newRequestDraft(operation: Operation, to?: string): Draft {
  return {
    parameters: Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name, schema }) => [name, String(schema.examples?.[0] ?? '')]),
    ),
    body: operation.body ? JSON.stringify(withRecipient(operation.body.example, to), null, 2) : null,
  };
}

function withRecipient(example: unknown, to: string | undefined): unknown {
  if (to === undefined || typeof example !== 'object' || example === null || !('to' in example)) return example;
  return { ...example, to: Array.isArray(example.to) ? [to] : to };
}

export function buildRequest(operation: Operation, draft: Draft): BuiltRequest {
  const search = new URLSearchParams();
  const headers: Record<string, string> = {};
  let { path } = operation;
  for (const parameter of operation.parameters) {
    const value = draft.parameters[parameter.name] ?? '';
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (parameter.in === 'query') search.set(parameter.name, value);
    else headers[parameter.name] = value;
  }
  const body = operation.body ? draft.body : null;
  if (body !== null) headers['Content-Type'] = 'application/json';
  return { method: operation.method, path: search.size > 0 ? `${path}?${search}` : path, headers, body };
}

export function buildCredentialHeaders(
  surface: Operation['surface'],
  credentials: Credentials,
): Record<string, string> {
  if (surface === 'a') return { Authorization: `Bearer ${credentials.key}` };
  return {
    'X-API-Key': credentials.key,
    'X-API-Secret': credentials.secret,
    'X-Channel-Id': credentials.channelId,
  };
}

/** Returns the parser's message. */
export function findJsonProblem(body: string): string | null {
  try {
    JSON.parse(body);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
