import { DEFAULT_LANGUAGE } from '../../carriers/content.js';
import type { PrismaClient, Template } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';

/**
 * If an ID belongs to a template in another language, the template of the same name in `language` is preferred. If
 * `language` is null, an ID matches in its own language, and a name in `en_US`.
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
