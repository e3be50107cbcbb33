interface IconProps {
  path: string
}

/** A few icons do not justify an icon package. */
function Icon({ path }: IconProps) {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" fill="currentColor" aria-hidden="true">
      <path d={path} fillRule="evenodd" />
    </svg>
  )
}

export const PlayIcon = () => (
  <Icon path="M8 5.1v13.8c0 .8.9 1.3 1.6.8l10-6.9a1 1 0 0 0 0-1.6l-10-6.9A1 1 0 0 0 8 5.1z" />
)
export const PauseIcon = () => <Icon path="M7 5h3.5v14H7zM13.5 5H17v14h-3.5z" />
export const NextIcon = () => (
  <Icon path="M6 5.7v12.6c0 .8.9 1.2 1.5.8l8.5-6.3a1 1 0 0 0 0-1.6L7.5 4.9A1 1 0 0 0 6 5.7zM17 5h2.5v14H17z" />
)
export const BackIcon = () => (
  <Icon path="M12 5V1.5L6.5 6 12 10.500V7a6 6 0 1 1-6 6H4a8 8 0 1 0 8-8zM8.5 11H10v6H8.500zM11.5 11h4v6h-4zM13 12.500v3h1v-3z" />
)
export const ForwardIcon = () => (
  <Icon path="M12 5V1.5L17.5 6 12 10.500V7a6 6 0 1 0 6 6h2a8 8 0 1 1-8-8zM8.5 11H10v6H8.500zM11.5 11h4v6h-4zM13 12.500v3h1v-3z" />
)
export const SoundIcon = () => (
  <Icon path="M4 9v6h4l5 4.500v-15L8 9zM15 8.500v7a4 4 0 0 0 0-7zM15 4.500v2a6 6 0 0 1 0 11v2a8 8 0 0 0 0-15z" />
)
export const MutedIcon = () => (
  <Icon path="M4 9v6h4l5 4.500v-15L8 9zM15 9.4 17.6 12 15 14.600l1.4 1.4 2.6-2.6 2.6 2.6 1.4-1.4-2.6-2.6 2.6-2.600L21.6 8 19 10.6 16.4 8z" />
)
export const HelpIcon = () => (
  <Icon path="M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm-1 14.500h2v2h-2zM12 6a3.7 3.7 0 0 0-3.7 3.700h2a1.7 1.7 0 1 1 2.9 1.200c-1 1-2.2 1.6-2.2 4.100h2c0-1.5.8-1.9 1.7-2.800A3.7 3.7 0 0 0 12 6z" />
)
export const TheatreIcon = () => <Icon path="M2 6h20v12H2zM4 8v8h16V8z" />
export const ShrinkIcon = () => <Icon path="M5 8h14v8H5zM7 10v4h10v-4z" />
export const CaptionsIcon = () => (
  <Icon path="M4 5a2 2 0 0 0-2 2v10a2 2 0 0 0 2 2h16a2 2 0 0 0 2-2V7a2 2 0 0 0-2-2zm3 4h3a1 1 0 0 1 1 1v1H9.500v-.5h-2v3h2V13H11v1a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-4a1 1 0 0 1 1-1zm7 0h3a1 1 0 0 1 1 1v1h-1.500v-.5h-2v3h2V13H18v1a1 1 0 0 1-1 1h-3a1 1 0 0 1-1-1v-4a1 1 0 0 1 1-1z" />
)
export const DescriptionsIcon = () => (
  <Icon path="M4 4h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H9l-5 4v-4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zm2 4v1.500h12V8zm0 3.500V13h8v-1.500z" />
)
