import { Checkbox, Input, Radio, Stack, Table } from '@mantine/core';
import type { NewKey } from '../../api/account/keys.js';
import { text } from '../../text/en.js';
import classes from './scope-fields.module.css';

type Scope = NewKey['scopes'][number];
type Area = keyof typeof text.apiKeys.areas;

export const EVERYTHING: readonly Scope[] = ['full'];

const AREAS: readonly [area: Area, read: Scope | null, change: Scope | null][] = [
  ['messages', 'messages:read', 'messages:send'],
  ['conversations', 'conversations:read', 'conversations:write'],
  ['contacts', 'contacts:read', 'contacts:write'],
  ['consent', 'consent:read', 'consent:write'],
  ['media', 'media:read', 'media:write'],
  ['templates', 'templates:read', 'templates:write'],
  ['campaigns', 'campaigns:read', 'campaigns:write'],
  ['automations', 'automations:read', 'automations:write'],
  ['webhooks', 'webhooks:read', 'webhooks:write'],
  ['account', 'account:read', 'account:write'],
  ['simulator', null, 'simulator:write'],
];

interface ScopeFieldsProps {
  scopes: readonly Scope[];
  error: string | undefined;
  onChange(scopes: readonly Scope[]): void;
}

export function ScopeFields({ scopes, error, onChange }: ScopeFieldsProps) {
  const isFullAccess = scopes.includes('full');
  const toggle = (scope: Scope) =>
    onChange(scopes.includes(scope) ? scopes.filter((each) => each !== scope) : [...scopes, scope]);
  const renderScope = (scope: Scope | null) =>
    scope && (
      <Checkbox
        aria-label={text.apiKeys.scopeNames[scope]}
        checked={scopes.includes(scope)}
        onChange={() => toggle(scope)}
        className={classes.box}
      />
    );
  return (
    <Stack gap="xs">
      <Radio.Group
        label={text.apiKeys.scopes}
        value={isFullAccess ? 'all' : 'some'}
        onChange={(value) => onChange(value === 'all' ? EVERYTHING : [])}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={text.apiKeys.scopeNames.full} description={text.apiKeys.fullHint} />
          <Radio value="some" label={text.apiKeys.selectedScopes} description={text.apiKeys.selectedScopesHint} />
        </Stack>
      </Radio.Group>
      {!isFullAccess && (
        <Table className={classes.table} withTableBorder verticalSpacing={6}>
          <caption className="visually-hidden">{text.apiKeys.scopes}</caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.apiKeys.area}</Table.Th>
              <Table.Th>{text.apiKeys.read}</Table.Th>
              <Table.Th>{text.apiKeys.change}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {AREAS.map(([area, read, change]) => (
              <Table.Tr key={area}>
                <Table.Th scope="row">{text.apiKeys.areas[area]}</Table.Th>
                <Table.Td>{renderScope(read)}</Table.Td>
                <Table.Td>{renderScope(change)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  );
}
