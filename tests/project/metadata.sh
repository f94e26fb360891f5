# CITATION.cff and the issue forms are YAML with the fields that their formats document, and CITATION.cff has the version of
# CMakeLists.txt and its date in CHANGELOG.md.
set -eu
python3 -c 'import yaml' 2>/dev/null || { echo 'skipped: no python3-yaml here'; exit 77; }
cd "$SOURCE"
exec python3 - <<'END'
import glob, re, sys, yaml

failed = False
def check(right, words):
    global failed
    if not right:
        failed = True
        print(words)

def has(path, fields, needed, allowed):
    check(isinstance(fields, dict), f"{path}: no fields")
    for name in needed - set(fields):
        check(False, f"{path}: no {name}")
    for name in set(fields) - needed - allowed:
        check(False, f"{path}: {name} is not a field of the format")

# The fields of Citation File Format 1.2.0 are described in its schema-guide.md.
path = "CITATION.cff"
cff = yaml.safe_load(open(path))
has(path, cff, {"cff-version", "message", "title", "authors"},
    {"abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
     "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url", "version"})
check(cff["cff-version"] == "1.2.0", f"{path}: cff-version is {cff['cff-version']}")
check(cff.get("type") in ("software", "dataset"), f"{path}: type is {cff.get('type')}")
for author in cff["authors"]:
    entity = "name" in author
    has(path, author, {"name"} if entity else {"family-names", "given-names"},
        {"address", "affiliation", "alias", "city", "country", "email", "orcid", "post-code", "region", "tel", "website",
         "name-particle", "name-suffix", "date-start", "date-end", "location", "fax"})
version = re.search(r"project\(causeway VERSION ([0-9.]+)", open("CMakeLists.txt").read()).group(1)
check(str(cff["version"]) == version, f"{path}: version is {cff['version']}, and CMakeLists.txt has {version}")
released = re.search(rf"^## \[{re.escape(version)}\] - (\S+)$", open("CHANGELOG.md").read(), re.M)
check(not released or str(cff["date-released"]) == released.group(1),
      f"{path}: date-released is {cff['date-released']}, and CHANGELOG.md has {released and released.group(1)}")

# GitHub's issue forms: "Syntax for issue forms" and "Syntax for GitHub's form schema".
kinds = {"markdown": {"value"}, "textarea": {"label"}, "input": {"label"}, "dropdown": {"label", "options"},
         "checkboxes": {"label", "options"}}
forms = [path for path in sorted(glob.glob(".github/ISSUE_TEMPLATE/*.yml")) if not path.endswith("/config.yml")]
check(len(forms) > 1, "no issue forms")
for path in forms:
    form = yaml.safe_load(open(path))
    has(path, form, {"name", "description", "body"}, {"title", "labels", "assignees", "projects", "type"})
    ids = [part.get("id") for part in form["body"] if part.get("id")]
    check(len(ids) == len(set(ids)), f"{path}: an id occurs twice")
    for part in form["body"]:
        has(path, part, {"type", "attributes"}, {"id", "validations"})
        check(part["type"] in kinds, f"{path}: no type {part['type']}")
        has(f"{path}: {part['type']}", part["attributes"], kinds.get(part["type"], set()),
            {"description", "placeholder", "value", "render", "options", "multiple", "default"})
        has(path, part.get("validations", {"required": False}), {"required"}, set())
    check("cw-info --report" in open(path).read(), f"{path} does not ask for cw-info --report")
has("config.yml", yaml.safe_load(open(".github/ISSUE_TEMPLATE/config.yml")), set(), {"blank_issues_enabled", "contact_links"})
sys.exit(failed)
END
