import { Button, Divider, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { oidcQuery, signInByOidc } from '../../api/session.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';

interface ByOidcProps {
  /** The page to show afterwards. */
  to: string;
}

/** The way to the OpenID Connect issuer, where there is one. */
export function ByOidc({ to }: ByOidcProps) {
  const { data: label } = useQuery(oidcQuery);
  const [leaving, setLeaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (!label) return null;
  const leave = async () => {
    setError(null);
    setLeaving(true);
    try {
      // The button stays busy: the page is about to go.
      await signInByOidc(to);
    } catch (problem) {
      setLeaving(false);
      setError(problem);
    }
  };
  return (
    <Stack mt="md">
      <Divider label={text.oidc.or} labelPosition="center" />
      {error !== null && <ErrorState error={error} />}
      <Button variant="default" onClick={leave} loading={leaving} fullWidth>
        {text.oidc.by(label)}
      </Button>
    </Stack>
  );
}
