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

/** `heliograph carrier calls`: what a carrier over HTTP was asked lately, and what it answered. */
export function addCarrierCalls(carrier: Command, context: CliContext): void {
  carrier
    .command('calls')
    .description('what a carrier over HTTP was asked and what it answered, the newest first; secrets are left out')
    .argument('<name>')
    .option('--failed', 'only those that failed')
    .option('--message <message-id>', 'only those that were to send this message')
    .addOption(limitOption(20))
    .action(async (name: string, { failed = false, message, limit }: Options, command: Command) => {
      if (message !== undefined && !isUuid(message)) throw new Error('--message must be the id of a message');
      const found = await withStore(context, async (prisma) => {
        await requireCarrier(prisma, name);
        return findCalls(prisma, name, { failed, ...(message && { messageId: message }) }, { limit, before: null });
      });
      const readable = found.map(readableCall).join('\n\n') || `No call of ${name} is written down.`;
      print(context, command, JSON.parse(JSON.stringify(found)) as Json, readable);
    });
}

/** A line on the call, and one each for what was sent and what came back. */
function readableCall({
  at,
  method,
  url,
  milliseconds,
  messageId,
  request,
  status,
  answer,
  failure,
}: FoundCall): string {
  const message = messageId === null ? '' : `  message ${messageId}`;
  const lines = [`${at.toISOString()}  ${method} ${url}  ${status ?? failure} in ${milliseconds} ms${message}`];
  if (request !== null) lines.push(`  > ${oneLine(request)}`);
  if (answer) lines.push(`  < ${oneLine(answer)}`);
  return lines.join('\n');
}

/** What others wrote must not move the cursor of a terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
