import type { HttpExchange } from './client.js';

/** A carrier's HTTP call for operators, without secrets. */
export interface RedactedCall {
  method: string;
  url: string;
  /** Bodies, shortened; null if there was none. */
  request: string | null;
  /** Null if no complete response arrived; `failure` then has an error code. */
  status: number | null;
  answer: string | null;
  failure: string | null;
  milliseconds: number;
}

/** @param redact removes secrets from a text and shortens it */
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
