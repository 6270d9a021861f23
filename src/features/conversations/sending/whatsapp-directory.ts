import type pg from 'pg';
import type { MessageContent } from '../../../carriers/content.js';
import type { FoundPerson, FoundTemplate, WhatsappChannel, WhatsappDirectory } from '../../../messages/compose/v2.js';
import type { PersonRef } from '../../../messages/compose/v2-plan.js';
import { type FieldProblem, invalidField } from '../../../platform/errors/app-error.js';
import type { Channel, PrismaClient } from '../../../platform/generated/prisma/client.js';
import { SharedReads } from '../../../platform/shared-reads.js';
import { ShortCache } from '../../../platform/short-cache.js';
import { findReferencedMessage } from '../../channels/referenced-message-store.js';
import { findMediaProblems } from '../../media/require-media.js';
import { findTemplate } from '../../templates/find.js';
import { TemplateRefresh, type TemplateRefreshOptions } from '../../templates/template-refresh.js';
import { findReachableContact } from '../party-store.js';

type CachedChannel = Pick<Channel, 'id' | 'carrier' | 'phoneNumber' | 'isDefault' | 'isActive'>;

const NUMBER_PATTERN = /^\+?[\d ()-]+$/;

/**
 * Caches the channels of accounts for up to a second. Templates are always current. Concurrent lookups share one query.
 */
export class CachedWhatsappDirectory implements WhatsappDirectory {
  readonly #prisma: Pick<PrismaClient, 'channel' | 'template'>;
  readonly #pool: pg.Pool;
  readonly #strictFrom: boolean;
  readonly #refresh: TemplateRefresh;
  readonly #channels = new ShortCache<CachedChannel[]>();
  readonly #templates = new SharedReads<FoundTemplate | null>();

  /** @param strictFrom rejects a `from` that is not a channel of the account, instead of using the default channel */
  constructor({ pool, ...options }: TemplateRefreshOptions & { pool: pg.Pool }, { strictFrom = false } = {}) {
    this.#prisma = options.prisma;
    this.#refresh = new TemplateRefresh({ ...options, pool });
    this.#pool = pool;
    this.#strictFrom = strictFrom;
  }

  async findChannel(accountId: string, from: string): Promise<WhatsappChannel> {
    const channels = await this.#channels.get(accountId, () =>
      this.#prisma.channel.findMany({
        where: { accountId, kind: 'whatsapp', deletedAt: null },
        select: { id: true, carrier: true, phoneNumber: true, isDefault: true, isActive: true },
        orderBy: { id: 'asc' },
      }),
    );
    const digits = NUMBER_PATTERN.test(from) ? from.replace(/\D/g, '') : '';
    const requested = channels.find(({ phoneNumber }) => phoneNumber === digits);
    if (requested && !requested.isActive) throw invalidField('from', 'names a WhatsApp channel that is not active');
    const active = channels.filter(({ isActive }) => isActive);
    const channel = requested ?? active.find(({ isDefault }) => isDefault) ?? active[0];
    if (!channel) throw invalidField('from', 'cannot send WhatsApp messages: the account has no WhatsApp channel');
    if (!requested && this.#strictFrom) {
      throw invalidField('from', 'must be the phone number of one of the WhatsApp channels of the account');
    }
    return channel;
  }

  findTemplate(
    accountId: string,
    channelId: string,
    idOrName: string,
    language: string | null,
  ): Promise<FoundTemplate | null> | FoundTemplate | null {
    return this.#templates.get(JSON.stringify([accountId, channelId, idOrName, language]), () =>
      findTemplate(this.#prisma, accountId, channelId, idOrName, language),
    );
  }

  refreshTemplates(accountId: string, channelId: string): Promise<boolean> {
    return this.#refresh.refresh(accountId, channelId);
  }

  findReferredMessage(accountId: string, channelId: string, messageId: string): Promise<string | null> {
    return findReferencedMessage({ pool: this.#pool }, { accountId, channelId }, messageId);
  }

  async checkMedia(channelId: string, content: MessageContent | null, components: string): Promise<FieldProblem[]> {
    const { missing, unfit } = await findMediaProblems({ pool: this.#pool }, channelId, content, components);
    return [...missing, ...unfit];
  }

  findPerson(accountId: string, channelId: string | null, identifier: PersonRef): Promise<FoundPerson | null> {
    return findReachableContact(this.#pool, { accountId, channelId }, identifier);
  }
}
