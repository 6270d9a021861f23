import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useSearchParams } from '../../browser/search.js';
import { useAccount } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Choice, DAYS } from './choice.js';

const words = text.messages;

interface MessageFiltersProps {
  find: { label: string; placeholder: string; title?: string };
  first?: ReactNode;
  /** Additional filters, shown before the time filter, which is the last. */
  more?: ReactNode;
}

export function MessageFilters({ find, first, more }: MessageFiltersProps) {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [searchText, setSearchText] = useState(params.find ?? '');
  const choose = useSetFilter();
  const search = (event: FormEvent) => {
    event.preventDefault();
    setParams({ find: searchText.trim() });
  };
  const channels = account?.channels ?? [];
  return (
    <form onSubmit={search}>
      <Group align="flex-end" gap="sm">
        <TextInput
          type="search"
          flex={1}
          miw={220}
          {...find}
          value={searchText}
          onChange={(event) => {
            setSearchText(event.currentTarget.value);
            if (event.currentTarget.value === '') setParams({ find: undefined });
          }}
        />
        <Button type="submit">{text.common.search}</Button>
      </Group>
      <Group gap="sm" mt="sm">
        {first}
        <Choice
          label={words.kind}
          value={params.kind}
          onChange={choose('kind')}
          data={(['sms', 'whatsapp'] as const).map((value) => ({ value, label: words.kinds[value] }))}
        />
        {channels.length > 0 && (
          <Choice
            label={words.channel}
            value={params.from}
            onChange={choose('from')}
            data={channels.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        {more}
        <Choice
          label={words.time}
          value={params.days}
          onChange={choose('days')}
          data={DAYS.map((value) => ({ value, label: words.lastDays(value) }))}
        />
      </Group>
    </form>
  );
}

export function useSetFilter() {
  const [, setParams] = useSearchParams();
  return (name: string) => (value: string | null) => setParams({ [name]: value ?? undefined });
}
