import { Checkbox, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createdCredentialsQuery, removeOperator } from '../../api/operators/operators.js';
import { text } from '../../text/en.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { notify } from '../../ui/feedback/notices.js';

const words = text.operators;

export function RemoveOperator({ id, name }: { id: string; name: string }) {
  const [revokes, setRevokes] = useState(false);
  const { data: credentials, error } = useQuery(createdCredentialsQuery(id));
  const remove = async () => {
    await removeOperator(id, revokes);
    notify(words.removed(name));
  };
  const credentialList = credentials ?? [];
  const consequence = (
    <Stack gap="sm" component="span">
      <span>{words.removeConsequence}</span>
      {error && <ErrorState error={error} />}
      {credentials && credentialList.length === 0 && <span>{words.noCredentials}</span>}
      {credentialList.length > 0 && (
        <>
          <span>{words.createdCredentials(name)}</span>
          <List size="sm" mah={160} style={{ overflowY: 'auto' }}>
            {credentialList.map((credential) => (
              <List.Item key={credential.id}>
                {words.credential(credential.kind, credential.name, credential.accountName)}
              </List.Item>
            ))}
          </List>
          <Checkbox
            label={words.revokeCredentials}
            description={words.revokeCredentialsHint}
            checked={revokes}
            onChange={(event) => setRevokes(event.currentTarget.checked)}
          />
          {!revokes && <Text size="sm">{words.credentialsKept}</Text>}
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
