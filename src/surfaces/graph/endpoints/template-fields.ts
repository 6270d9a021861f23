import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { deriveDigits } from '../../../features/channels/graph-ids.js';
import { listTemplates, type Template } from '../../../features/templates/list.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { TemplateRecord } from '../../resources/records/template-drafts.js';
import { listCallers } from '../objects.js';

export const TemplateId = Type.String({ description: 'Digits, like Meta’s IDs.', examples: ['301482913750264'] });

export const GraphTemplate = Type.Partial(
  Type.Object({
    id: TemplateId,
    ...Type.Pick(TemplateRecord, ['name', 'status', 'language', 'category', 'components']).properties,
    quality_score: Type.Object({
      score: Type.String({ description: '`UNKNOWN` if none was reported.', examples: ['GREEN'] }),
    }),
  }),
);

export function templateFields(template: Template) {
  const { name, status, language, category, quality, components } = template;
  return {
    id: toTemplateId(template),
    name,
    status,
    language,
    category,
    quality_score: { score: quality ?? 'UNKNOWN' },
    components: components as Record<string, unknown>[],
  };
}

export const toTemplateId = ({ id }: Pick<Template, 'id'>) => deriveDigits('template', id);

export async function findTemplate(
  options: Parameters<typeof listTemplates>[0],
  request: FastifyRequest,
  id: string,
): Promise<{ caller: ChannelCaller; template: Template } | null> {
  if (!/^\d{15}$/.test(id)) return null;
  for (const caller of listCallers(request)) {
    const template = (await listTemplates(options, channelScope(caller))).find(
      (candidate) => toTemplateId(candidate) === id,
    );
    if (template) return { caller, template };
  }
  return null;
}
