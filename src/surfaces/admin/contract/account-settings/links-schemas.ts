import { Type } from '@sinclair/typebox';
import { NullableTimestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

const IsOn = Type.Boolean({ description: 'Whether new campaigns shorten links by default.' });

const Domain = Type.Object({
  host: Type.String({ examples: ['go.acme.example'] }),
  recordName: Type.String({
    description: 'Name of the TXT record that proves the domain.',
    examples: ['_heliograph.go.acme.example'],
  }),
  recordText: Type.String({
    description: 'Text of the TXT record.',
    examples: ['heliograph-link=dGhpcyBpcyBhbiBleGFtcGxl'],
  }),
  verifiedAt: Type.Unsafe<string | null>({ ...NullableTimestamp, description: 'Null: links do not use the domain.' }),
  checkedAt: NullableTimestamp,
});

export const LinksData = Type.Object({
  isOn: IsOn,
  base: Type.String({
    description: 'Start of new short links, before their code.',
    examples: ['https://messages.example.com/l/'],
  }),
  domain: Type.Union([Domain, Type.Null()], { description: 'Null: links begin with PUBLIC_URL.' }),
});

export const LinksBody = Type.Object(
  {
    isOn: Type.Optional({ ...IsOn, [RULE]: 'must be true or false' }),
    host: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: "The account's own domain, which must then be proved; null: links begin with PUBLIC_URL.",
        [RULE]: 'must be a domain or null',
      }),
    ),
  },
  { examples: [{ isOn: true, host: 'go.acme.example' }] },
);

export const DomainCheckData = Type.Object({
  ...LinksData.properties,
  result: Type.Unsafe<'verified' | 'no-record' | 'lookup-failed' | 'other-account'>({
    type: 'string',
    enum: ['verified', 'no-record', 'lookup-failed', 'other-account'],
    description:
      '`no-record`: the domain has no TXT record with this text; `lookup-failed`: no name server responded; `other-account`: the ' +
      'domain also has the record of another account, which uses it.',
  }),
});
