import type { HttpCall } from '../../http/client.js';
import type { RequestPlan } from '../plan.js';
import { fillFields, fillHeaders, fillJson, fillUrl } from './template.js';
import type { Variables } from './variables.js';

/** Adds no credentials. */
export function buildRequest({ method, url, query, headers, form, json }: RequestPlan, variables: Variables): HttpCall {
  const address = new URL(fillUrl(url, variables));
  for (const [name, value] of Object.entries(fillFields(query ?? {}, variables))) {
    address.searchParams.append(name, value.toWellFormed());
  }
  return {
    method,
    url: address,
    ...(headers && { headers: fillHeaders(headers, variables) }),
    ...(form && { form: fillFields(form, variables) }),
    ...(json !== undefined && { json: (fillJson(json, variables) ?? {}) as object }),
  };
}
