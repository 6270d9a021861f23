import { Anchor, type AnchorProps, Button, type ButtonProps, type ElementProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import { forwardRef } from 'react';

interface TextLinkProps extends AnchorProps, ElementProps<'a', keyof AnchorProps> {}

export const TextLink = createLink(
  forwardRef<HTMLAnchorElement, TextLinkProps>((props, ref) => <Anchor ref={ref} underline="hover" {...props} />),
);

interface LinkButtonProps extends ButtonProps, ElementProps<'a', keyof ButtonProps> {}

export const ButtonLink = createLink(
  forwardRef<HTMLAnchorElement, LinkButtonProps>((props, ref) => <Button component="a" ref={ref} {...props} />),
);
