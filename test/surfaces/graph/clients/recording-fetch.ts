export interface Exchange {
  method: string;
  /** Path and query string. */
  url: string;
  /** Parsed request body, or null if it is not JSON. */
  sent: Record<string, unknown> | null;
  status: number;
  answer: unknown;
}

export function recordingFetch(exchanges: Exchange[]): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const copy = request.clone();
    const response = await fetch(request);
    const { pathname, search } = new URL(request.url);
    const isJson = copy.headers.get('content-type')?.startsWith('application/json') && copy.body !== null;
    exchanges.push({
      method: request.method,
      url: pathname + search,
      sent: isJson ? ((await copy.json()) as Record<string, unknown>) : null,
      status: response.status,
      answer: response.headers.get('content-type')?.startsWith('application/json')
        ? await response.clone().json()
        : null,
    });
    return response;
  };
}
