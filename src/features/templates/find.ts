import { DEFAULT_LANGUAGE } from '../../carriers/content.js';
import type { PrismaClient, Template } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/**
 * A template of one channel by its id or name, whatever its status, or null when the channel has none such. An id names
 * one language; with another language asked for, the template of the same name in that language is found, and where
 * there is none the one that the id names.
 * @param language null when the caller named none: then an id stands for itself, and a name for `en_US`
 */
export async function findTemplate(
  prisma: Pick<PrismaClient, 'template'>,
  accountId: string,
  channelId: string,
  idOrName: string,
  language: string | null,
): Promise<Template | null> {
  const byId = isUuid(idOrName)
    ? await prisma.template.findFirst({ where: { id: idOrName, accountId, channelId } })
    : null;
  if (byId && (language === null || byId.language === language)) return byId;
  const name = byId?.name ?? idOrName;
  const byName = await prisma.template.findFirst({
    where: { accountId, channelId, name, language: language ?? DEFAULT_LANGUAGE },
  });
  return byName ?? byId;
}
