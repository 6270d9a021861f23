import type { LightMyRequestResponse } from 'fastify';
import type pg from 'pg';
import { expect } from 'vitest';

export interface ValidRequest {
  name: string;
  /** Path as in the OpenAPI document, with `{accountId}`. */
  pattern: string;
  params: Readonly<Record<string, string>>;
  body: object | undefined;
  fields: readonly string[];
  ask(path: string, body: object | undefined): Promise<LightMyRequestResponse>;
}

/** Values of fields that only the server may set, or that belong to other requests. */
const TRUSTED = {
  operatorId: crypto.randomUUID(),
  accountId: null,
  address: '192.0.2.99',
  role: 'owner',
  id: crypto.randomUUID(),
  passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$aGFzaA',
  isActive: true,
};

const MALFORMED_IDS = [7, true, [], {}, [7], { id: 1 }, null, 'x', '\0', '', 'x'.repeat(5000)];
const MALFORMED_PATH_IDS = ['7', 'null', '%00', '%5B%5D', '..%2F..', '%ff', '%25', 'x'.repeat(90), '%F0%9F%98%80'];

export function buildPath({ pattern, params }: Pick<ValidRequest, 'pattern' | 'params'>): string {
  return pattern.replaceAll(/\{(\w+)\}/g, (_, name) => params[name] as string);
}

/** Expects that a request with an unknown field changes nothing and gets an error that names the field. */
export async function expectForeignFieldsRefused(pool: pg.Pool, request: ValidRequest): Promise<void> {
  const digestsBefore = await digestTables(pool);
  for (const [field, value] of Object.entries(TRUSTED)) {
    if (request.fields.includes(field)) continue;
    const { statusCode, body } = await request.ask(buildPath(request), { ...request.body, [field]: value });
    expect(`${statusCode} ${body}`, `${request.name} with ${field}`).toMatch(/^400 /);
    const refused = { field, message: 'is not a field of this request' };
    expect(JSON.parse(body).error.details, `${request.name} with ${field}`).toContainEqual(refused);
  }
  expect(await digestTables(pool), `${request.name} with foreign fields`).toEqual(digestsBefore);
}

/** Expects that a request changes nothing if its audit log entry cannot be written. Failed sign-ins still count. */
export async function expectNoChangeWithoutAuditEntry(pool: pg.Pool, request: ValidRequest): Promise<void> {
  const { sign_in_attempts: _, ...before } = await digestTables(pool);
  await pool.query('ALTER TABLE audit_log ADD CONSTRAINT no_line CHECK (false) NOT VALID');
  try {
    const { statusCode } = await request.ask(buildPath(request), request.body);
    expect(statusCode, `${request.name} without its audit log entry`).toBe(500);
  } finally {
    await pool.query('ALTER TABLE audit_log DROP CONSTRAINT no_line');
  }
  expect(await digestTables(pool), `${request.name} without its audit log entry`).toMatchObject(before);
}

/** Expects that no malformed ID in a request's path or body causes a server error. */
export async function expectMalformedIdsRefused(request: ValidRequest): Promise<void> {
  const failures: string[] = [];
  const tryRequest = async (path: string, body: object | undefined) => {
    const response = await request.ask(path, body);
    if (response.statusCode >= 500) failures.push(`${path} ${JSON.stringify(body)}: ${response.statusCode}`);
  };
  for (const name of request.pattern.matchAll(/\{(\w+)\}/g)) {
    for (const value of MALFORMED_PATH_IDS) {
      await tryRequest(
        buildPath({ ...request, params: { ...request.params, [name[1] as string]: value } }),
        request.body,
      );
    }
  }
  for (const body of replaceIds(request.body)) await tryRequest(buildPath(request), body as object);
  expect(failures, request.name).toEqual([]);
}

/** Returns copies of a body, each with a malformed ID in place of one ID at any depth. */
function replaceIds(value: unknown): unknown[] {
  if (Array.isArray(value))
    return value.flatMap((element, index) => replaceIds(element).map((variant) => value.with(index, variant)));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    // A carrier's settings are skipped, because the IDs in them are the carrier's.
    if (name === 'settings') return [];
    const isId = /(?:^i|I)ds?$/.test(name);
    return [...(isId ? MALFORMED_IDS.filter((malformedId) => malformedId !== field) : []), ...replaceIds(field)].map(
      (variant) => ({
        ...value,
        [name]: variant,
      }),
    );
  });
}

/** Computes a digest of each table, without the times at which operators were last seen. */
async function digestTables(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  const texts = tables.map(
    ({ name }) => `SELECT '${name}' AS name,
      md5(coalesce(string_agg((to_jsonb(t) - 'last_seen_at')::text, ',' ORDER BY to_jsonb(t)::text), '')) AS digest
      FROM ${name} t`,
  );
  const { rows } = await pool.query<{ name: string; digest: string }>(texts.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
