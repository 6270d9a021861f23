import { Type } from '@sinclair/typebox';
import { COMMON_WORDS } from '../../../../features/opt-outs/keywords.js';
import { pageOptOuts } from '../../../../features/opt-outs/opt-out-pages.js';
import {
  addOptOut,
  findOptOutWord,
  listOptOutWords,
  removeOptOut,
  removeOptOutWord,
  setOptOutWord,
} from '../../../../features/opt-outs/opt-outs.js';
import type { Clock } from '../../../../platform/clock.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { DoneData, done, ok, page } from '../../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import { OptOutBody, OptOutData, OptOutListQuery, OptOutWordBody, OptOutWordData } from './opt-outs-schemas.js';

export type OptOutEndpointOptions = OptionsOf<typeof pageOptOuts> & {
  prisma: Parameters<typeof addOptOut>[0];
  clock: Clock;
};

const BASE = '/accounts/:accountId/opt-outs';
const DEFAULT_LIMIT = 50;

const WordPath = Type.Intersect([AccountPath, Type.Object({ word: Type.String() })]);

/** Who wants no messages from which sender, and the words that say so. */
export const optOutEndpoints: Endpoints<OptOutEndpointOptions> = async (app, options) => {
  const { prisma, clock } = options;

  app.get(
    BASE,
    pageEndpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListOptOuts',
      summary: 'List who wants no messages from which sender',
      params: AccountPath,
      querystring: OptOutListQuery,
      entry: OptOutData,
    }),
    async (request) => {
      const { search, limit = DEFAULT_LIMIT, cursor } = request.query;
      const { optOuts, next } = await pageOptOuts(options, accountOf(request).id, { search, limit, cursor });
      const shown = optOuts.map(({ kind, senderName, phone, keyword, decidedAt }) => {
        return { kind, sender: senderName, phone, keyword, decidedAt: decidedAt.toISOString() };
      });
      return page(shown, next);
    },
  );

  /** An endpoint that blocks a number for a sender, or lets the sender write to it again. */
  const decision = (path: '' | '/lift', operationId: `console${string}`, summary: string) =>
    app.post(
      `${BASE}${path}`,
      endpoint({
        needs: 'developer',
        of: 'account',
        operationId,
        summary,
        params: AccountPath,
        body: OptOutBody,
        data: DoneData,
        errors: [404],
      }),
      async (request) => {
        const { kind, sender, phone } = request.body;
        const ref = { accountId: accountOf(request).id, kind, sender, phone, at: clock.now() };
        return request.change(async (change) => {
          const isNew = await (path === '' ? addOptOut : removeOptOut)(change.prisma, ref);
          const action = path === '' ? 'opt-out.add' : 'opt-out.remove';
          return { result: done(), told: isNew ? { action, subject: phone, after: { kind, sender } } : null };
        });
      },
    );
  decision('', 'consoleAddOptOut', 'Block a number for a sender, as if it had written STOP');
  decision('/lift', 'consoleLiftOptOut', 'Let a sender write to a number again');

  app.get(
    `${BASE}/words`,
    endpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListOptOutWords',
      summary: 'List the words that stop and start messages, those of the account first',
      params: AccountPath,
      data: Type.Array(OptOutWordData),
    }),
    async (request) => {
      const own = await listOptOutWords(prisma, accountOf(request).id);
      return ok([
        ...own.map(({ word, meaning }) => ({ word, meaning, isOwn: true })),
        ...COMMON_WORDS.map((each) => ({ ...each, isOwn: false })),
      ]);
    },
  );

  app.post(
    `${BASE}/words`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleSetOptOutWord',
      summary: 'Give the account a word of its own, or another meaning to one',
      params: AccountPath,
      body: OptOutWordBody,
      data: OptOutWordData,
      errors: [409],
    }),
    async (request) => {
      const { meaning } = request.body;
      const asked = { accountId: accountOf(request).id, word: request.body.word, meaning };
      return request.change(async (change) => {
        const was = await findOptOutWord(change.prisma, asked.accountId, asked.word);
        const word = await setOptOutWord(change.prisma, asked);
        const told = { action: 'opt-out-word.set', subject: word, before: was && { meaning: was }, after: { meaning } };
        return { result: ok({ word, meaning, isOwn: true }), told: was === meaning ? null : told };
      });
    },
  );

  app.delete(
    `${BASE}/words/:word`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleRemoveOptOutWord',
      summary: 'Take a word of the account away',
      params: WordPath,
      data: DoneData,
    }),
    async (request) => {
      const { word } = request.params;
      const accountId = accountOf(request).id;
      return request.change(async (change) => {
        const meaning = await findOptOutWord(change.prisma, accountId, word);
        await removeOptOutWord(change.prisma, accountId, word);
        return { result: done(), told: { action: 'opt-out-word.remove', subject: word, before: { meaning } } };
      });
    },
  );
};
