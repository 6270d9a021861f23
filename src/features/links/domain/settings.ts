import { randomBytes } from 'node:crypto';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { LinkSettings as LinkSettingsRow, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { checkHost } from './host.js';

type Tables = Pick<PrismaClient, 'linkSettings'>;

export interface LinkDomain {
  host: string;
  /** Content of the TXT record at `recordName`. */
  token: string;
  /** Null: links do not use the domain yet. */
  verifiedAt: Date | null;
  checkedAt: Date | null;
}

export interface LinkSettings {
  /** Whether new campaigns shorten links by default. */
  isOn: boolean;
  domain: LinkDomain | null;
}

/** Absent fields stay as they are. */
export interface LinkSettingsChange {
  isOn?: boolean | undefined;
  /** Null: links begin with PUBLIC_URL. */
  host?: string | null | undefined;
}

/** Name of the TXT record that proves a domain. */
export function getRecordName(host: string): string {
  return `_heliograph.${host}`;
}

export async function readLinkSettings({ linkSettings }: Tables, accountId: string): Promise<LinkSettings> {
  return toSettings(await linkSettings.findUnique({ where: { accountId } }));
}

/**
 * The caller must have locked the account. A new domain must be proved before links use it.
 * @param ownHosts hosts of this server, which no account can have
 * @throws {AppError} INVALID_REQUEST
 */
export async function changeLinkSettings(
  { linkSettings }: Tables,
  { accountId, ownHosts }: { accountId: string; ownHosts: readonly string[] },
  { isOn, host: writtenHost }: LinkSettingsChange,
): Promise<{ before: LinkSettings; after: LinkSettings }> {
  const before = await readLinkSettings({ linkSettings }, accountId);
  const host = typeof writtenHost === 'string' ? checkHost(writtenHost) : writtenHost;
  if (typeof host === 'string' && ownHosts.includes(host)) {
    throw invalidField('host', 'must not be the domain of this server; links use it without further settings');
  }
  const isNewHost = host !== undefined && host !== (before.domain?.host ?? null);
  const token = host ? `heliograph-link=${randomBytes(18).toString('base64url')}` : null;
  const data = {
    ...(isOn !== undefined && { isOn }),
    ...(isNewHost && { host: host ?? null, token, verifiedAt: null, checkedAt: null }),
  };
  if (Object.keys(data).length === 0) return { before, after: before };
  const row = await linkSettings.upsert({ where: { accountId }, create: { accountId, ...data }, update: data });
  return { before, after: toSettings(row) };
}

function toSettings(row: LinkSettingsRow | null): LinkSettings {
  const { isOn = false, host = null, token = null, verifiedAt = null, checkedAt = null } = row ?? {};
  return { isOn, domain: host === null || token === null ? null : { host, token, verifiedAt, checkedAt } };
}
