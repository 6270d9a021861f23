import { Checkbox, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { madeQuery, removeOperator } from '../../api/operators/operators.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';

const words = text.operators;

/** Takes an operator away; what they made is shown first, and ends with them or goes on. */
export function RemoveOperator({ id, name }: { id: string; name: string }) {
  const [end, setEnd] = useState(false);
  const { data: made, error } = useQuery(madeQuery(id));
  const remove = async () => {
    await removeOperator(id, end);
    notify(words.removed(name));
  };
  const things = made ?? [];
  const consequence = (
    <Stack gap="sm" component="span">
      <span>{words.removeConsequence}</span>
      {error && <ErrorState error={error} />}
      {made && things.length === 0 && <span>{words.madeNothing}</span>}
      {things.length > 0 && (
        <>
          <span>{words.madeThings(name)}</span>
          <List size="sm" mah={160} style={{ overflowY: 'auto' }}>
            {things.map((thing) => (
              <List.Item key={thing.id}>{words.made(thing.kind, thing.name, thing.accountName)}</List.Item>
            ))}
          </List>
          <Checkbox
            label={words.endMade}
            description={words.endMadeHint}
            checked={end}
            onChange={(event) => setEnd(event.currentTarget.checked)}
          />
          {!end && <Text size="sm">{words.madeStays}</Text>}
        </>
      )}
    </Stack>
  );
  return (
    <ConfirmButton
      size="xs"
      title={words.removeTitle(name)}
      consequence={consequence}
      confirm={words.removeConfirm}
      onConfirm={remove}
    >
      {words.remove}
    </ConfirmButton>
  );
}
