import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';

const PAUSE_MS = 250;

/** Sets `search` in the URL. */
export function SearchField({ label }: { label: string }) {
  const [params, setParams] = useSearchParams();
  const [entered, setEntered] = useState(params.search ?? '');
  const search = useDebouncedCallback(
    (value: string) => setParams({ search: value.trim() }, { replace: true }),
    PAUSE_MS,
  );
  const enter = (value: string) => {
    setEntered(value);
    search(value);
  };
  return (
    <TextInput
      type="search"
      flex={1}
      miw={200}
      aria-label={label}
      placeholder={label}
      value={entered}
      onChange={(event) => enter(event.currentTarget.value)}
      leftSection={<Icon name="search" size={16} />}
      rightSection={
        entered !== '' && <CloseButton size="sm" aria-label={text.common.clear} onClick={() => enter('')} />
      }
    />
  );
}
