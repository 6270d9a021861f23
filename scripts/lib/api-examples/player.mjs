import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = 60_000;
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const BODY_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

/**
 * A request of the scenario, or a command. Texts may contain `<name.path>`, a value of an earlier result, and times such as
 * `<in 2 hours>`.
 * @typedef {object} Step
 * @property {string} [operation] ID of the operation to call
 * @property {string[]} [command] arguments of `heliograph`, instead of an operation
 * @property {string} [as] name of the result for later steps
 * @property {string} [title] what the example shows; without it, the request is not recorded
 * @property {Record<string, string>} [path]
 * @property {Record<string, unknown>} [query]
 * @property {object} [body] sent as JSON, or as a form where the operation takes one
 * @property {{name: string, type: string, base64: string}} [file] sent as the part `file` of a form
 * @property {number} [status] expected; default: any below 300
 * @property {Record<string, unknown>} [until] repeats the request until these paths of the response have these values
 * @property {Record<string, object>} [stable] members of the response, by path, whose values depend on the run
 * @property {Record<string, number>} [first] lists of the response, by path, of which only so many entries are recorded
 * @property {Record<string, string>} [mask] values of the result, by path, that are recorded as these texts
 */

/**
 * Plays a scenario against a server. A failed step does not end it, so that one run finds all mistakes.
 * @throws {Error} with all failed steps
 * @param {readonly Step[]} steps
 * @param {{document: object, server: object, results: Record<string, unknown>, startedAt: number,
 *   onResult: (step: Step, call: object | null, result: unknown) => void}} options `results`: values for the first steps
 */
export async function playScenario(steps, { document, server, results, startedAt, onResult }) {
  const operations = listOperations(document);
  const failures = [];
  for (const step of steps) {
    try {
      const filled = fillIn(withoutTexts(step), results, startedAt);
      if (filled.command) {
        const result = await repeatUntil(step, () => server.runCommand([...filled.command, '--json']));
        if (step.as) results[step.as] = result;
        onResult(step, null, result);
        continue;
      }
      const operation = operations.get(step.operation);
      if (!operation) throw new Error('there is no such operation');
      const call = await repeatUntil(step, () => callOperation(operation, filled, { server, results }));
      checkStatus(step, call);
      if (step.as) results[step.as] = call.response.body;
      onResult(step, call, call.response.body);
    } catch (error) {
      failures.push(
        `${step.operation ?? step.command.join(' ')} (${step.title ?? step.as ?? 'no title'}): ${error.message}`,
      );
    }
  }
  if (failures.length > 0) throw new Error(`Failed steps of the scenario:\n${failures.join('\n')}`);
}

/**
 * Lists the operations of callers in the order of the document.
 * @param {any} document an OpenAPI document
 * @returns {Map<string, any>} by operation ID, with `method` and `path`
 */
export function listOperations(document) {
  return new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      METHODS.filter((method) => methods[method] && !methods[method].tags?.includes('Console')).map((method) => [
        methods[method].operationId,
        { ...methods[method], method: method.toUpperCase(), path },
      ]),
    ),
  );
}

const withoutTexts = ({ title: _title, until: _until, mask: _mask, as: _as, ...step }) => step;

async function repeatUntil({ until }, run) {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const result = await run();
    const value = result?.response ? result.response.body : result;
    if (!until || Object.entries(until).every(([path, expected]) => readPath(value, path) === expected)) return result;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${JSON.stringify(until)}: ${JSON.stringify(value)}`);
    await sleep(100);
  }
}

async function callOperation(operation, step, { server, results }) {
  const { path = {}, query = {}, body, file, headers = {} } = step;
  const url = new URL(
    operation.path.replace(/\{(\w+)\}/g, (_match, name) => {
      if (path[name] === undefined) throw new Error(`the path needs ${name}`);
      return encodeURIComponent(path[name]);
    }),
    server.baseUrl,
  );
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value));
  const { type, data } = encodeBody(operation, body, file);
  const response = await fetch(url, {
    method: operation.method,
    headers: { ...authenticate(operation, results), ...(type && { 'content-type': type }), ...headers },
    body: data,
  });
  const contentType = response.headers.get('content-type') ?? undefined;
  const isJson = contentType?.includes('json');
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    request: {
      path: step.path,
      query: step.query,
      headers: step.headers,
      body,
      file: file && { name: file.name, type: file.type },
    },
    response: {
      status: response.status,
      ...(isJson
        ? { body: JSON.parse(bytes.toString()) }
        : bytes.length > 0 && { file: { type: contentType, size: bytes.length } }),
    },
  };
}

function encodeBody(operation, body, file) {
  if (file) {
    const data = new FormData();
    for (const [name, value] of Object.entries(body ?? {})) data.append(name, value);
    data.append('file', new Blob([Buffer.from(file.base64, 'base64')], { type: file.type }), file.name);
    return { data };
  }
  if (body === undefined) return {};
  if (!operation.requestBody?.content?.[BODY_TYPES.form]) return { type: BODY_TYPES.json, data: JSON.stringify(body) };
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) for (const entry of [value].flat()) form.append(name, entry);
  return { type: BODY_TYPES.form, data: form.toString() };
}

/** Headers for the first security scheme of an operation. */
function authenticate({ security = [] }, { surfaceA, surfaceB, account }) {
  const scheme = Object.keys(security[0] ?? {})[0];
  const basic = (user, password) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  switch (scheme) {
    case undefined:
      return {};
    case 'bearer':
      return { authorization: `Bearer ${surfaceA.apiKey}` };
    case 'apiKey':
      return { 'x-api-key': surfaceB.apiKey, 'x-api-secret': surfaceB.apiSecret, 'x-channel-id': surfaceB.channelId };
    case 'channelToken':
      return { authorization: `Bearer ${surfaceB.apiKey}.${surfaceB.apiSecret}` };
    case 'accountSid':
      return { authorization: basic(account.sid, surfaceA.apiKey) };
    default:
      throw new Error(`unknown security scheme ${scheme}`);
  }
}

function checkStatus({ status }, { response }) {
  if (status === undefined ? response.status < 300 : response.status === status) return;
  throw new Error(`the response is ${response.status}: ${JSON.stringify(response.body)}`);
}

export function readPath(value, path) {
  return path.split('.').reduce((part, key) => part?.[key], value);
}

const UNITS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

function fillIn(value, results, startedAt) {
  if (Array.isArray(value)) return value.map((entry) => fillIn(entry, results, startedAt));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fillIn(member, results, startedAt)]));
  }
  if (typeof value !== 'string') return value;
  const resolve = (name) => {
    const time = /^in (-?\d+) (\w+)$/.exec(name);
    const result = time ? toTime(startedAt, time) : readPath(results, name);
    if (result === undefined) throw new Error(`there is no <${name}>`);
    return result;
  };
  const whole = /^<([\w.-]+|in -?\d+ \w+)>$/.exec(value);
  if (whole) return resolve(whole[1]);
  return value.replace(/<([a-z][\w-]*(?:\.[\w-]+)+|receiver|in -?\d+ \w+)>/gi, (_match, name) => String(resolve(name)));
}

const toTime = (startedAt, [, count, unit]) => new Date(startedAt + Number(count) * UNITS[unit]).toISOString();
