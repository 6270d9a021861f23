import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { type CampaignContent, toContentRow } from './message/content.js';
import type { CampaignVariant, VariantTest } from './variants/variants.js';

/** What a request sets, and can change until the campaign starts. */
export interface CampaignFields {
  name: string;
  content: CampaignContent;
  variables: Readonly<Record<string, string>> | null;
  shortenLinks: boolean;
  groupId: string | null;
  groupIds: readonly string[];
  audienceIds: readonly string[];
  listedCount: number;
  scheduledAt: Date | null;
  variants: readonly CampaignVariant[] | null;
  test: VariantTest | null;
}

interface CampaignRow extends CampaignFields {
  id: string;
  accountId: string;
  channelId: string;
  createdAt: Date;
}

/** Returns the values of FIELD_COLUMNS. */
export function toFieldValues(fields: CampaignFields): unknown[] {
  const { templateName, language, components, text, optOutLine } = toContentRow(fields.content);
  const { name, groupId, groupIds, audienceIds, listedCount, scheduledAt, variables, variants, test } = fields;
  return [
    ...[name, templateName, language, JSON.stringify(components), text, optOutLine],
    ...[groupId, groupIds, audienceIds, listedCount, scheduledAt?.toISOString() ?? null],
    ...[variables, variants, test].map((value) => value && JSON.stringify(value)),
    fields.shortenLinks,
  ];
}

export const FIELD_COLUMNS =
  'name, template_name, language, components, text, opt_out_line, group_id, group_ids, audience_ids, listed_count, scheduled_at, variables, variants, test, shorten_links';

const INSERT: Statement = {
  name: 'campaigns-insert',
  text: `INSERT INTO campaigns (id, account_id, channel_id, created_at, status, gathering, ${FIELD_COLUMNS})
         VALUES ($1, $2, $3, $4, 'scheduled', CASE WHEN $11::uuid IS NULL THEN 'groups' END,
           $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
};

export async function insertCampaign(client: pg.PoolClient, row: CampaignRow): Promise<void> {
  const { id, accountId, channelId, createdAt } = row;
  const values = [id, accountId, channelId, createdAt.toISOString(), ...toFieldValues(row)];
  await client.query({ ...INSERT, values });
}
