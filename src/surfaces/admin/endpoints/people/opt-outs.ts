import { extractPhone, extractUserId } from '../../../../carriers/numbers/user-ids.js';
import { setOptOutByOperator } from '../../../../features/opt-outs/by-operator.js';
import { COMMON_WORDS } from '../../../../features/opt-outs/keywords.js';
import { listOptOutPage } from '../../../../features/opt-outs/opt-out-pages.js';
import {
  type addOptOut,
  findOptOutWord,
  listOptOutWords,
  removeOptOutWord,
  setOptOutWord,
  toAuditSubject,
} from '../../../../features/opt-outs/opt-outs.js';
import type { Clock } from '../../../../platform/clock.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { readPerson } from '../../../resources/people/people.js';
import { done, ok, page } from '../../answers.js';
import { OPT_OUTS } from '../../contract/people/opt-outs.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export type OptOutEndpointOptions = UseCaseOptions<typeof listOptOutPage> & {
  prisma: Parameters<typeof addOptOut>[0];
  clock: Clock;
};

const BASE = '/accounts/:accountId/opt-outs';
const DEFAULT_LIMIT = 50;

export const optOutEndpoints: Endpoints<OptOutEndpointOptions> = async (app, options) => {
  const route = registerRoutes(app, OPT_OUTS);
  const { prisma, clock } = options;

  route('GET /accounts/:accountId/opt-outs', async (request) => {
    const { search, limit = DEFAULT_LIMIT, cursor } = request.query;
    const { optOuts, next } = await listOptOutPage(options, requestAccount(request).id, { search, limit, cursor });
    const entries = optOuts.map(({ kind, senderName, phone, keyword, marketingOnly, decidedAt }) => {
      const scope = marketingOnly ? ('marketing' as const) : ('all' as const);
      const person = { phone: extractPhone(phone), userId: extractUserId(phone) };
      return { kind, sender: senderName, ...person, keyword, scope, decidedAt: decidedAt.toISOString() };
    });
    return page(entries, next);
  });

  for (const path of ['', '/lift'] as const) {
    route(`POST ${BASE}${path}`, async (request) => {
      const { kind, sender, phone, userId, contactId } = request.body;
      const person = readPerson({ phone, userId, contactId });
      const ref = { accountId: requestAccount(request).id, kind, sender, ...person, at: clock.now() };
      return request.change(async (change) => {
        const isNew = await setOptOutByOperator(change, path === '', ref);
        const action = path === '' ? 'opt-out.add' : 'opt-out.remove';
        return {
          result: done(),
          audit: isNew ? { action, subject: toAuditSubject(person), after: { kind, sender } } : null,
        };
      });
    });
  }
  route('GET /accounts/:accountId/opt-outs/words', async (request) => {
    const accountWords = await listOptOutWords(prisma, requestAccount(request).id);
    return ok([
      ...accountWords.map(({ word, meaning }) => ({ word, meaning, isOwn: true })),
      ...COMMON_WORDS.map((commonWord) => ({ ...commonWord, isOwn: false })),
    ]);
  });

  route('POST /accounts/:accountId/opt-outs/words', async (request) => {
    const { meaning } = request.body;
    const input = { accountId: requestAccount(request).id, word: request.body.word, meaning };
    return request.change(async (change) => {
      const { word, was } = await setOptOutWord(change.prisma, input);
      const auditEntry = {
        action: 'opt-out-word.set',
        subject: word,
        before: was && { meaning: was },
        after: { meaning },
      };
      return { result: ok({ word, meaning, isOwn: true }), audit: was === meaning ? null : auditEntry };
    });
  });

  route('DELETE /accounts/:accountId/opt-outs/words/:word', async (request) => {
    const { word } = request.params;
    const accountId = requestAccount(request).id;
    return request.change(async (change) => {
      const meaning = await findOptOutWord(change.prisma, accountId, word);
      await removeOptOutWord(change.prisma, accountId, word);
      return { result: done(), audit: { action: 'opt-out-word.remove', subject: word, before: { meaning } } };
    });
  });
};
