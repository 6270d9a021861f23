import { Autocomplete, NativeSelect, NumberInput, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getCountryName, REGIONS } from '../../../../src/carriers/numbers/written-numbers.js';
import { DAY_OPERATORS, hasValue, MAX_DAYS, type TestKind } from '../../../../src/features/audiences/condition.js';
import { contactTagsQuery } from '../../api/account/contact-fields.js';
import { campaignChoicesQuery } from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { groupsQuery } from '../../api/people.js';
import { text } from '../../text/en.js';
import type { EditedTest } from './edited-condition.js';

const words = text.audiences;

const COUNTRIES = REGIONS.map((value) => ({ value, label: getCountryName(value) })).sort((a, b) =>
  a.label.localeCompare(b.label, 'en'),
);

interface ValueFieldProps {
  channelRef: ChannelRef;
  test: EditedTest;
  kind: TestKind;
  /** Allowed values of a choice; otherwise empty. */
  choices: readonly string[];
  error: string | undefined;
  onChange(value: string): void;
}

export function ValueField({ channelRef, test, kind, choices, error, onChange }: ValueFieldProps) {
  const { operator, value } = test;
  const { data: tags = [] } = useQuery({ ...contactTagsQuery(channelRef.accountId), enabled: kind === 'tags' });
  const { data: groups = [] } = useQuery({ ...groupsQuery(channelRef), enabled: kind === 'groups' });
  const { data: campaigns = [] } = useQuery({ ...campaignChoicesQuery(channelRef), enabled: kind === 'campaign' });
  if (!hasValue(operator)) return null;
  const common = { label: words.value, error, flex: '1 1 160px' };
  const select = (options: readonly { value: string; label: string }[]) => (
    <NativeSelect
      {...common}
      value={value}
      data={[{ value: '', label: words.choose }, ...options]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
  if (DAY_OPERATORS.has(operator)) {
    return (
      <NumberInput
        {...common}
        label={words.days}
        value={value}
        min={1}
        max={MAX_DAYS}
        allowDecimal={false}
        onChange={(next) => onChange(String(next))}
      />
    );
  }
  switch (kind) {
    case 'boolean':
    case 'optedOut':
      return select([
        { value: 'true', label: words.yes },
        { value: 'false', label: words.no },
      ]);
    case 'choice': {
      const values = value === '' || choices.includes(value) ? choices : [...choices, value];
      return select(values.map((choice) => ({ value: choice, label: choice })));
    }
    case 'groups':
      return select(groups.map(({ id, name }) => ({ value: id, label: name })));
    case 'campaign':
      return select(campaigns.map(({ id, name }) => ({ value: id, label: name })));
    case 'country':
      return (
        <Select
          {...common}
          data={COUNTRIES}
          value={value || null}
          placeholder={words.choose}
          onChange={(next) => onChange(next ?? '')}
          searchable
        />
      );
    case 'tags':
      return <Autocomplete {...common} data={tags} value={value} onChange={onChange} limit={20} />;
    default:
      return (
        <TextInput
          {...common}
          type={kind === 'date' || kind === 'time' || kind === 'created' ? 'date' : 'text'}
          inputMode={kind === 'number' ? 'decimal' : undefined}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}
