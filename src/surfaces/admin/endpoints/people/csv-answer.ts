import { type TSchema, Type } from '@sinclair/typebox';
import { endpoint } from '../../endpoint.js';

export function csvDownload<P extends TSchema, Q extends TSchema | undefined = undefined>(description: {
  operationId: `console${string}`;
  summary: string;
  params: P;
  query?: Q;
}) {
  const { config, schema } = endpoint({ needs: 'viewer', roleScope: 'account', ...description, data: Type.Null() });
  const file = {
    description: 'The file.',
    content: { 'text/csv': { schema: Type.String() } },
  };
  return { config, schema: { ...schema, response: { ...schema.response, 200: file } } };
}
