import type { Operation } from './operations.js';

/** A request as the form holds it. */
export interface Draft {
  /** Of path and query, by name; what is empty is left out. */
  parameters: Record<string, string>;
  /** The JSON of the body as it is written; null where there is none. */
  body: string | null;
}

/** What a call shows of the caller. */
export interface Credentials {
  key: string;
  secret: string;
  channelId: string;
}

export interface BuiltRequest {
  method: string;
  /** With the query; from the root of this server. */
  path: string;
  /** Without those that show who calls. */
  headers: Record<string, string>;
  body: string | null;
}

/**
 * The example of an operation, ready to be sent.
 * @param to who gets what it sends, in place of the number of the example
 */
export function draftOf(operation: Operation, to?: string): Draft {
  return {
    parameters: Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name, schema }) => [name, String(schema.examples?.[0] ?? '')]),
    ),
    body: operation.body ? JSON.stringify(addressed(operation.body.example, to), null, 2) : null,
  };
}

/** An example with another recipient, where it has one. */
function addressed(example: unknown, to: string | undefined): unknown {
  if (to === undefined || typeof example !== 'object' || example === null || !('to' in example)) return example;
  return { ...example, to: Array.isArray(example.to) ? [to] : to };
}

/** The request that a draft makes. */
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

/** The headers that show who calls. */
export function credentialHeaders(surface: Operation['surface'], credentials: Credentials): Record<string, string> {
  if (surface === 'a') return { Authorization: `Bearer ${credentials.key}` };
  return {
    'X-API-Key': credentials.key,
    'X-API-Secret': credentials.secret,
    'X-Channel-Id': credentials.channelId,
  };
}

/** Whether a body is JSON; the reason where it is not. */
export function jsonProblem(body: string): string | null {
  try {
    JSON.parse(body);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
