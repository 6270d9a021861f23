import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';
import { Icon } from '../basics/icons.js';

const DEBOUNCE_MS = 250;

/** Sets the query parameter `search` in the URL. */
export function SearchField({ label }: { label: string }) {
  const [params, setParams] = useSearchParams();
  const [searchText, setEntered] = useState(params.search ?? '');
  const search = useDebouncedCallback(
    (value: string) => setParams({ search: value.trim() }, { replace: true }),
    DEBOUNCE_MS,
  );
  const updateSearch = (value: string) => {
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
      value={searchText}
      onChange={(event) => updateSearch(event.currentTarget.value)}
      leftSection={<Icon name="search" size={16} />}
      rightSection={
        searchText !== '' && <CloseButton size="sm" aria-label={text.common.clear} onClick={() => updateSearch('')} />
      }
    />
  );
}
