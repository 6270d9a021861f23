import { NativeSelect } from '@mantine/core';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';

interface StatusFilterProps<S extends string> {
  label: string;
  allLabel: string;
  statuses: readonly S[];
  names?: Readonly<Record<S, string>>;
}

/** Sets the query parameter `status` in the URL. */
export function StatusFilter<S extends string>({ label, allLabel, statuses, names }: StatusFilterProps<S>) {
  const [params, setParams] = useSearchParams();
  const words: Readonly<Record<string, string>> = names ?? text.status;
  return (
    <NativeSelect
      label={label}
      maw={240}
      value={params.status ?? ''}
      onChange={(event) => setParams({ status: event.currentTarget.value })}
      data={[{ value: '', label: allLabel }, ...statuses.map((value) => ({ value, label: words[value] ?? value }))]}
    />
  );
}
