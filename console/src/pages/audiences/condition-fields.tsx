import { Button, Group, NativeSelect, Paper, Stack } from '@mantine/core';
import type { ContactField } from '../../api/account/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import {
  type EditedCondition,
  type EditedEntry,
  type EditedList,
  isList,
  type Match,
  newList,
  newTest,
} from './edited-condition.js';
import { TestFields } from './test-fields.js';

const words = text.audiences;
const MATCHES = (Object.keys(words.matches) as Match[]).map((value) => ({ value, label: words.matches[value] }));

interface ConditionFieldsProps {
  channelRef: ChannelRef;
  condition: EditedCondition;
  fields: readonly ContactField[];
  /** @param key of a test */
  findProblem(key: string, name: string): string | undefined;
  onChange(condition: EditedCondition): void;
}

export function ConditionFields({ condition, onChange, ...shared }: ConditionFieldsProps) {
  return (
    <ListFields
      {...shared}
      label={words.match}
      list={condition}
      onChange={onChange}
      renderList={(list, position, change, remove) => (
        <Paper withBorder p="sm" radius="md" component="section" aria-label={words.listLabel(position)}>
          <ListFields {...shared} label={words.matchList} list={list} onChange={change} onRemove={remove} />
        </Paper>
      )}
    />
  );
}

interface ListFieldsProps<Entry extends EditedEntry> extends Omit<ConditionFieldsProps, 'condition' | 'onChange'> {
  label: string;
  list: EditedList<Entry>;
  onChange(list: EditedList<Entry>): void;
  onRemove?: () => void;
  /** Renders a list within the list. Absent in a list that contains only tests. */
  renderList?: (
    list: EditedList<ReturnType<typeof newTest>>,
    position: number,
    change: (list: EditedList<ReturnType<typeof newTest>>) => void,
    remove: (() => void) | undefined,
  ) => React.ReactNode;
}

function ListFields<Entry extends EditedEntry>({
  label,
  list,
  onChange,
  onRemove,
  renderList,
  findProblem,
  ...shared
}: ListFieldsProps<Entry>) {
  const { match, entries } = list;
  const setEntries = (next: readonly EditedEntry[]) => onChange({ ...list, entries: next as readonly Entry[] });
  const replace = (index: number, entry: EditedEntry) =>
    setEntries(entries.map((each, position) => (position === index ? entry : each)));
  const remove = (index: number) => setEntries(entries.filter((_, position) => position !== index));
  return (
    <Stack gap="sm">
      <NativeSelect
        label={label}
        maw={340}
        value={match}
        data={MATCHES}
        onChange={(event) => onChange({ ...list, match: event.currentTarget.value as Match })}
      />
      {entries.map((entry: EditedEntry, index) => {
        const removeEntry = entries.length > 1 ? () => remove(index) : undefined;
        return (
          <div key={entry.key}>
            {isList(entry) ? (
              renderList?.(entry, index + 1, (next) => replace(index, next), removeEntry)
            ) : (
              <TestFields
                {...shared}
                position={index + 1}
                test={entry}
                findProblem={(name) => findProblem(entry.key, name)}
                onChange={(next) => replace(index, next)}
                onRemove={removeEntry}
              />
            )}
          </div>
        );
      })}
      <Group gap="sm">
        <Button size="xs" variant="default" onClick={() => setEntries([...entries, newTest()])}>
          {words.add}
        </Button>
        {renderList && (
          <Button size="xs" variant="default" onClick={() => setEntries([...entries, newList()])}>
            {words.addList}
          </Button>
        )}
        {onRemove && (
          <Button size="xs" variant="subtle" onClick={onRemove}>
            {words.removeList}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
