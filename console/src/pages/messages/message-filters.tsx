import { Button, Group, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useSearchParams } from '../../browser/search.js';
import { useAccount } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Choice, DAYS } from './choice.js';

const words = text.messages;

interface MessageFiltersProps {
  /** What the field that searches says. */
  find: { label: string; placeholder: string; title?: string };
  /** Further choices: before those that every list of messages has, and before the last of them, the time. */
  first?: ReactNode;
  more?: ReactNode;
}

/** What a list of messages is narrowed by; all of it stands in the address. */
export function MessageFilters({ find, first, more }: MessageFiltersProps) {
  const account = useAccount();
  const [params, setParams] = useSearchParams();
  const [typed, setTyped] = useState(params.find ?? '');
  const choose = useChoose();
  const search = (event: FormEvent) => {
    event.preventDefault();
    setParams({ find: typed.trim() });
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
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
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

/** Writes a choice into the address, by its name there; none takes it away. */
export function useChoose() {
  const [, setParams] = useSearchParams();
  return (name: string) => (value: string | null) => setParams({ [name]: value ?? undefined });
}
