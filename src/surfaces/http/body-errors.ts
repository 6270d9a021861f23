/** Clients may send a body with any method except GET, even if the endpoint does not read bodies. */
export function bodyErrors(method: string | readonly string[]): readonly (413 | 415)[] {
  return method === 'GET' ? [] : [413, 415];
}
