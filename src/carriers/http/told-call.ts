import type { HttpTry } from './client.js';

/** A call of a carrier and what came back, as operators are told: without secrets. */
export interface ToldCall {
  method: string;
  url: string;
  /** What was sent and what came back, shortened; null: nothing. */
  request: string | null;
  /** Of the answer; null: no whole one came, and `failure` says why by a code. */
  status: number | null;
  answer: string | null;
  failure: string | null;
  milliseconds: number;
}

/** @param kept takes the secrets out of a text, and shortens it */
export function toldOf(
  { call, content, answer, failure, milliseconds }: HttpTry,
  kept: (text: string) => string,
): ToldCall {
  return {
    method: call.method,
    url: kept(call.url.href),
    request: content && kept(content),
    status: answer?.status ?? null,
    answer: answer && kept(answer.text),
    failure,
    milliseconds: Math.round(milliseconds),
  };
}
