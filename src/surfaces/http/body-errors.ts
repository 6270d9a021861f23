/** Any request except GET may have a body, even if the endpoint reads none. */
export function bodyErrors(method: string | readonly string[]): readonly (413 | 415)[] {
  return method === 'GET' ? [] : [413, 415];
}
