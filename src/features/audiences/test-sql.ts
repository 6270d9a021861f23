import { lowestIdAt, readIdTime } from '../../platform/ids.js';
import { CONTACT_FIELDS, type ContactFieldName } from '../contacts/contact-fields.js';
import type { Bind } from '../contacts/search/term-sql.js';
import { isOptedOutSql } from '../opt-outs/opt-out-store.js';
import { type CampaignOutcome, type Test, toCustomKey } from './condition.js';
import type { ConditionContext } from './context.js';
import { isInCountrySql } from './country-sql.js';
import { dateSql, numberSql, textSql, timeSql } from './value-sql.js';

/** Compiles a test about a row `c` of `contacts`. NULL counts as false. */
export function testSql(test: Test, context: ConditionContext, bind: Bind): string {
  const { field, operator, value } = test;
  const key = toCustomKey(field);
  if (key !== null) return customFieldSql(key, test, context, bind);
  switch (field) {
    case 'tags':
      if (operator === 'isSet' || operator === 'isNotSet') return `c.tags IS ${operator === 'isSet' ? 'NOT ' : ''}NULL`;
      return negateIf(operator === 'hasNot', `c.tags @> ARRAY[${bind(value)}::text]`);
    case 'groups': {
      const group = operator === 'has' || operator === 'hasNot' ? `gm.group_id = ${bind(value)} AND ` : '';
      const isMember = `EXISTS (SELECT FROM group_members gm WHERE ${group}gm.contact_id = c.id)`;
      return negateIf(operator === 'hasNot' || operator === 'isNotSet', isMember);
    }
    case 'country':
      return negateIf(operator === 'isNot', isInCountrySql(String(value), context.countries, bind));
    case 'optedOut': {
      const addresses = ['c.phone', 'c.user_id', 'c.parent_user_id'];
      return negateIf(value === false, isOptedOutSql(bind(context.channelId), addresses));
    }
    case 'createdAt':
      return timeSql('c.created_at', test, context.now, bind);
    case 'lastInboundAt':
      return timeSql(selectFromConversation('v.last_inbound_at'), test, context.now, bind);
    case 'lastOutboundAt':
      return timeSql(selectFromConversation(LAST_OUTBOUND_AT), test, context.now, bind);
    case 'campaign':
      return outcomeSql(operator as CampaignOutcome, String(value), bind);
    default:
      return textSql(`c.${CONTACT_FIELDS[field as ContactFieldName].column}`, test, bind);
  }
}

function customFieldSql(key: string, test: Test, { fieldTypes, now }: ConditionContext, bind: Bind): string {
  const { operator, value } = test;
  const type = fieldTypes.get(key);
  // No contact has values of a deleted field, although they are deleted later.
  if (type === undefined) return operator === 'isNotSet' ? 'true' : 'false';
  if (operator === 'isSet' || operator === 'isNotSet')
    return negateIf(operator === 'isNotSet', `c.fields ? ${bind(key)}::text`);
  if (type === 'text') return textSql(`c.fields->>${bind(key)}::text`, test, bind);
  if (operator === 'is' || operator === 'isNot')
    return negateIf(operator === 'isNot', `c.fields @> ${bind(JSON.stringify({ [key]: value }))}::jsonb`);
  if (type === 'number') return numberSql(`c.fields->${bind(key)}::text`, test, bind);
  return dateSql(`c.fields->>${bind(key)}::text`, test, now, bind);
}

function negateIf(isNegated: boolean, sql: string): string {
  return isNegated ? `(${sql}) IS NOT TRUE` : sql;
}

function selectFromConversation(expression: string): string {
  return `(SELECT ${expression} FROM conversations v WHERE v.contact_id = c.id)`;
}

/**
 * The column is null or too old for messages that were accepted before it was recorded. `last_message_at` then has the time
 * of a message that is neither recorded as outbound nor as inbound, or there may be a message before the last inbound one.
 */
const LAST_OUTBOUND_AT = `CASE
  WHEN v.last_outbound_at IS NULL OR v.last_message_at > greatest(v.last_outbound_at, v.last_inbound_at)
  THEN greatest(v.last_outbound_at,
    (SELECT m.created_at FROM messages m WHERE m.conversation_id = v.id ORDER BY m.id DESC LIMIT 1))
  ELSE v.last_outbound_at END`;

const HAS_STATUS: Readonly<Record<CampaignOutcome, string>> = {
  delivered: "m.status IN ('delivered', 'read')",
  read: "m.status = 'read'",
  replied: 'EXISTS (SELECT FROM inbound_messages i WHERE i.conversation_id = v.id AND i.received_at >= m.created_at)',
  clicked: 'EXISTS (SELECT FROM links l WHERE l.message_id = m.id AND l.first_clicked_at IS NOT NULL)',
  failed: "m.status IN ('failed', 'undelivered', 'rejected', 'expired')",
  notReached: "m.status NOT IN ('delivered', 'read')",
};

/** A campaign's messages are newer than the campaign, which saves reading the messages of earlier months. */
const MARGIN_MS = 24 * 60 * 60 * 1000;

function outcomeSql(outcome: CampaignOutcome, campaignId: string, bind: Bind): string {
  const oldest = lowestIdAt(new Date(readIdTime(campaignId).getTime() - MARGIN_MS));
  return `EXISTS (SELECT FROM conversations v JOIN messages m ON m.conversation_id = v.id
    WHERE v.contact_id = c.id AND m.campaign_id = ${bind(campaignId)} AND m.id >= ${bind(oldest)} AND ${HAS_STATUS[outcome]})`;
}
