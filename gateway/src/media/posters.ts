import type { RequestHandler } from 'express'

/** In this order of preference. */
const pictureExtensions = ['.jpg', '.png', '.webp']

/**
 * Answers `GET /media/<video>?poster` with the picture beside the video: `film.jpg`, `film.png` or
 * `film.webp` for `film.mp4`. `serveFile` sends it with the rules of all media. Without a picture
 * the answer is 204, because browsers report a 404 as an error of the page. Other requests go to
 * the next handler.
 */
export function servePosters(serveFile: RequestHandler): RequestHandler {
  return (req, res, next) => {
    if (!('poster' in req.query)) return next()
    const stem = req.path.replace(/\.[^./]*$/, '')
    const [first, ...others] = pictureExtensions
    const serve = (extension: string | undefined): unknown => {
      if (extension === undefined) return res.status(204).end()
      req.url = stem + extension
      return serveFile(req, res, error => (error ? next(error) : serve(others.shift())))
    }
    serve(first)
  }
}
