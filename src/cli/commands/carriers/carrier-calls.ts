import type { Command } from 'commander';
import { type FoundCall, findCalls } from '../../../carriers/http/call-store.js';
import { requireCarrier } from '../../../carriers/setup/carriers.js';
import { isUuid } from '../../../platform/ids.js';
import type { CliContext } from '../../context.js';
import { limitOption } from '../../options.js';
import { type Json, print } from '../../output.js';
import { withStore } from '../../store.js';

interface Options {
  failed?: boolean;
  message?: string;
  limit: number;
}

export function addCarrierCalls(carrier: Command, context: CliContext): void {
  carrier
    .command('calls')
    .description('list HTTP requests to a carrier and its responses, newest first, without secrets')
    .argument('<name>')
    .option('--failed', 'only failed requests')
    .option('--message <message-id>', 'only requests that sent this message')
    .addOption(limitOption(20))
    .action(async (name: string, { failed = false, message, limit }: Options, command: Command) => {
      if (message !== undefined && !isUuid(message)) throw new Error('--message must be the ID of a message');
      const calls = await withStore(context, async (prisma) => {
        await requireCarrier(prisma, name);
        return findCalls(prisma, name, { failed, ...(message && { messageId: message }) }, { limit, before: null });
      });
      const readable = calls.map(formatCall).join('\n\n') || `No calls to ${name} are recorded.`;
      print(context, command, JSON.parse(JSON.stringify(calls)) as Json, readable);
    });
}

function formatCall({ at, method, url, milliseconds, messageId, request, status, answer, failure }: FoundCall): string {
  const message = messageId === null ? '' : `  message ${messageId}`;
  const lines = [`${at.toISOString()}  ${method} ${url}  ${status ?? failure} in ${milliseconds} ms${message}`];
  if (request !== null) lines.push(`  > ${toSingleLine(request)}`);
  if (answer) lines.push(`  < ${toSingleLine(answer)}`);
  return lines.join('\n');
}

function toSingleLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
