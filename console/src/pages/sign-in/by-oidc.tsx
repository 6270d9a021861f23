import { Button, Divider, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { oidcQuery, signInByOidc } from '../../api/session.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';

interface OidcButtonProps {
  to: string;
}

/** Hidden if no OpenID Connect issuer is configured. */
export function OidcButton({ to }: OidcButtonProps) {
  const { data: label } = useQuery(oidcQuery);
  const [isLeaving, setIsLeaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  if (!label) return null;
  const leave = async () => {
    setError(null);
    setIsLeaving(true);
    try {
      // After a success the button stays busy, because the browser is leaving the page.
      await signInByOidc(to);
    } catch (problem) {
      setIsLeaving(false);
      setError(problem);
    }
  };
  return (
    <Stack mt="md">
      <Divider label={text.oidc.or} labelPosition="center" />
      {error !== null && <ErrorState error={error} />}
      <Button variant="default" onClick={leave} loading={isLeaving} fullWidth>
        {text.oidc.by(label)}
      </Button>
    </Stack>
  );
}
