import type { HttpExchange } from './client.js';

export interface RedactedCall {
  method: string;
  url: string;
  request: string | null;
  status: number | null;
  answer: string | null;
  failure: string | null;
  milliseconds: number;
}

export function redactCall(
  { call, content, answer, failure, milliseconds }: HttpExchange,
  redact: (text: string) => string,
): RedactedCall {
  return {
    method: call.method,
    url: redact(call.url.href),
    request: content && redact(content),
    status: answer?.status ?? null,
    answer: answer && redact(answer.text),
    failure,
    milliseconds: Math.round(milliseconds),
  };
}
