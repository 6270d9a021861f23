export interface Document {
  paths?: Record<string, Record<string, Operation>>;
  components?: { responses?: Record<string, object>; headers?: Record<string, object> };
}

export interface Operation {
  security?: object[];
  parameters?: { name: string }[];
  requestBody?: { required?: boolean };
  'x-optional-body'?: boolean;
  responses?: Record<string, Response>;
}

export interface Response {
  description?: string;
  headers?: Record<string, object>;
  content?: Record<string, { schema: object; example?: unknown }>;
}

/** Error responses used by fewer operations stay inline. */
const SHARED_FROM = 5;

/** Moves repeated error responses into components: inline, they would be most of the document. */
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
