export interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { responses?: Record<string, object>; headers?: Record<string, object> };
}

export interface Operation {
  operationId?: string;
  security?: object[];
  parameters?: { name: string }[];
  requestBody?: { required?: boolean; content?: Record<string, MediaType> };
  'x-optional-body'?: boolean;
  responses?: Record<string, Response>;
}

export interface Response {
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaType>;
}

export interface MediaType {
  schema: object;
  example?: unknown;
  examples?: Record<string, { summary?: string; value: unknown }>;
}

/** Error responses that are used by fewer operations than this stay inline. */
const SHARED_FROM = 5;

/** Moves repeated error responses into components, because inline responses would make up most of the document. */
export function shareErrors(document: Document): void {
  const operations = Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods));
  const uses = new Map<string, number>();
  for (const [, text] of operations.flatMap(listErrors)) uses.set(text, (uses.get(text) ?? 0) + 1);

  const names = new Map<string, string>();
  const shared: Record<string, object> = {};
  for (const operation of operations) {
    for (const [status, text] of listErrors(operation)) {
      if ((uses.get(text) ?? 0) < SHARED_FROM) continue;
      const name = names.get(text) ?? findFreeName(shared, `Error${status}`);
      names.set(text, name);
      shared[name] = JSON.parse(text);
      (operation.responses as Record<string, object>)[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  document.components = { ...document.components, responses: { ...document.components?.responses, ...shared } };
}

function listErrors({ responses = {} }: Operation): [status: string, text: string][] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => [status, JSON.stringify(response)]);
}

function findFreeName(usedNames: Readonly<Record<string, object>>, name: string): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}_${number}`;
    if (!Object.hasOwn(usedNames, candidate)) return candidate;
  }
}
