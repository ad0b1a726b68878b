import { csrfField, html, pageReply, reply, type Reply, type Route, type Visit } from "rowhouse/plugin-api";
import { cookie } from "rowhouse/plugin-api/http";
import { LANGUAGE_COOKIE, type Languages } from "./languages.js";

const PATH = "/-/language";
const YEAR_SECONDS = 31_536_000;

/** The page on which readers choose their language, kept in a cookie. */
export const languageRoutes = (languages: Languages): readonly Route[] => [
  { name: "language", path: PATH, target: "instance", view: (visit) => showForm(visit, languages) },
  {
    name: "choose-language",
    method: "POST",
    path: PATH,
    target: "instance",
    view: (visit) => choose(visit, languages),
  },
];

function showForm(visit: Visit, languages: Languages): Promise<Reply> {
  const { t } = languages.of(visit.request);
  const chosen = visit.request.cookies.get(LANGUAGE_COOKIE) ?? "";
  return pageReply(visit, {
    template: "language.html",
    title: t("language.title"),
    context: { is_translated: true },
    headers: { "cache-control": "no-store" },
    content: html`
      <h1>${t("language.title")}</h1>
      <form class="panel narrow" action="${visit.rowhouse.urls.path(PATH)}" method="post">
        ${csrfField(visit)}
        <p class="field">
          <label for="language">${t("language.choose")}</label>
          <select id="language" name="language">
            <option value="">${t("language.automatic")}</option>
            ${languages.languages.map(
              (name) =>
                html`<option value="${name}" lang="${name}" ${name === chosen && html`selected`}>
                  ${new Intl.DisplayNames([name], { type: "language" }).of(name) ?? name}
                </option>`,
            )}
          </select>
        </p>
        <p class="buttons"><button type="submit">${t("language.save")}</button></p>
      </form>
    `,
  });
}

async function choose({ rowhouse, request }: Visit, { languages }: Languages): Promise<Reply> {
  const { fields } = await request.form();
  const wanted = fields.get("language") ?? "";
  const isKnown = languages.includes(wanted);
  return reply.redirect(rowhouse.urls.path(PATH), 303, {
    "set-cookie": cookie(LANGUAGE_COOKIE, isKnown ? wanted : "", {
      maxAgeSeconds: isKnown ? YEAR_SECONDS : 0,
    }),
  });
}
