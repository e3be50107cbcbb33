import { afterEach, expect, test } from '@jest/globals'
import { cleanup, render, screen, within } from '@testing-library/react'
import { YouTubeNote } from '../../src/features/player/session/youtube-note.tsx'

afterEach(cleanup)

test('the note about YouTube says what the page can and cannot do', () => {
  render(<YouTubeNote />)
  const note = screen.getByText('About YouTube videos').closest('details')!
  expect(
    within(note)
      .getAllByRole('listitem', { hidden: true })
      .map(({ textContent }) => textContent),
  ).toEqual([
    'YouTube may ask for your consent or show an advertisement in the picture. Answer it there; only the video counts as watched.',
    'A video that is private, removed, restricted by age or not allowed outside YouTube is skipped. Your supervisor is told once, and nobody has to watch it.',
    'A video made for kids plays and counts as usual. YouTube turns off some of its own features for it.',
    'If your network blocks YouTube, the page keeps trying and your progress is kept. Your IT support can allow youtube.com, youtube-nocookie.com, ytimg.com and googlevideo.com.',
    'YouTube chooses the picture quality by the size of the picture and your connection. Theatre view raises it. Captions are in the bar below the picture, if the video has any.',
  ])
})
