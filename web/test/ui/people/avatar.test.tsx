import { expect, test } from '@jest/globals'
import { render } from '@testing-library/react'
import { Avatar } from '../../../src/ui/people/avatar.tsx'

function hueOf(id: string): string {
  const { container, unmount } = render(<Avatar id={id} name="Trainee 12" />)
  const hue = container.querySelector('span')!.style.getPropertyValue('--hue')
  unmount()
  return hue
}

test('the hue of a person without a picture follows from their id', () => {
  const ids = Array.from({ length: 16 }, (_, index) => `person-${index}`)
  expect(hueOf(ids[0]!)).toBe(hueOf(ids[0]!))
  expect(new Set(ids.map(hueOf)).size).toBeGreaterThan(8)
})
