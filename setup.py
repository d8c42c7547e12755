"""Packaging of blogcrawl: the console script, Scrapyd's settings entry point and the optional
extras.

``pyproject.toml`` configures tools only.  Locked versions with hashes:
``deploy/requirements*.lock``
(``deploy/lock`` makes them from this file).
"""

from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent
VERSION = next(
    line.split('"')[1]
    for line in (HERE / "blogcrawl" / "__init__.py").read_text("utf-8").splitlines()
    if line.startswith("__version__")
)
README = HERE / "README.md"

REQUIRES = [
    "scrapy>=2.19,<3",
    "twisted>=24.3",
    "zope.interface>=6",
    "scrapy-playwright>=0.0.48,<0.1",
    "playwright>=1.50,<2",
    "lxml>=5.3,<7",
    "cssselect>=1.2,<2",
    "w3lib>=2.3,<3",
    "protego>=0.4",
    "numpy>=2,<3",
    "scikit-learn>=1.6,<2",
    "nh3>=0.2.20,<1",
    "msgspec>=0.19,<1",
    "jdatetime>=5,<7",
    "hijridate>=2.3,<3",
    "pyluach>=2.2,<3",
    "feedparser>=6.0.11,<7",
    "fasttext-predict>=0.9.2.4,<0.10",
    "trafilatura>=2,<3",
    "publicsuffixlist>=1.0",
    "warcio>=1.7.5,<2",
    "backports-zstd>=1; python_version < '3.14'",
    "bagit>=1.9,<2",
    "jinja2>=3.1,<4",
    "sqlalchemy>=2.0.36,<3",
    "alembic>=1.16,<2",
    "fsspec>=2025.1",
    "httpx>=0.28,<1",
    "h11>=0.16,<1",
    "cryptography>=43",
    "click>=8.5,<9",
    "packaging>=23",
    "rich>=13.9,<16",
    # The reading room.
    "starlette>=0.45,<2",
    "uvicorn>=0.32,<1",
    "argon2-cffi>=23.1",
    "itsdangerous>=2.2,<3",
    "markupsafe>=2.1,<4",
    "anyio>=4,<5",
]

EXTRAS = {
    # The package store on S3.
    "s3": ["s3fs>=2025.1"],
    # The state of a cluster.
    "postgres": ["psycopg[binary]>=3.2,<4"],
    # blogcrawl replay.
    "replay": ["pywb>=2.8,<3"],
    # export --format parquet.
    "parquet": ["pyarrow>=18"],
}
# A node of a cluster, and what puts the project on it. Scrapyd imports pkg_resources, gone from
# setuptools 81 on.
EXTRAS["node"] = [
    "scrapyd>=1.6,<2",
    "scrapyd-client>=2.0.3,<3",
    "setuptools>=75,<81",
    "wheel>=0.45",
]
# A controller: database and package store of the cluster.
EXTRAS["cluster"] = [*EXTRAS["postgres"], *EXTRAS["s3"]]
# Coverage-guided fuzzing (python -m tests.fuzz); without it the inputs are seeded mutations. Not in
# the lock files: Linux only.
EXTRAS["fuzz"] = ["atheris>=3"]
EXTRAS["dev"] = [
    *EXTRAS["s3"],
    *EXTRAS["postgres"],
    *EXTRAS["parquet"],
    *EXTRAS["node"],
    "pytest>=8.3",
    "pytest-timeout>=2.3",
    "pytest-xdist>=3.6",
    "hypothesis>=6.120",
    "libfaketime>=3; sys_platform == 'linux'",
    "babel>=2.16,<3",
    "mypy>=1.13",
    "ruff>=0.8",
    "lxml-stubs",
    # Judges of what we write, by other hands.
    "ocfl-py>=2.1",
    "pymarc>=5.2",
    "wacz>=0.5",
    "sickle>=0.7",
    "extruct>=0.18,<1",
    "moto[s3]>=5.0",
    "localbucket>=1.2",
    "flask>=3",
    "flask-cors>=5",
    "jsonschema>=4.20",
    "axe-playwright-python>=0.1.8,<1",
    # Engines of the generated test blogs.
    "pelican[markdown]>=4.11",
    "nikola>=8.3.1",
    "blag>=2.3",
    "ablog>=0.11.12",
    # What researchers open an archive with.
    "pandas>=2.2",
    # The site of docs/.
    "furo>=2024.8",
    "myst-parser>=4",
    # A comment server of the real world.
    "isso>=0.13",
]

setup(
    name="blogcrawl",
    version=VERSION,
    description="Archives whole blogs as data, evidence and repository packages",
    long_description=README.read_text("utf-8") if README.exists() else "",
    long_description_content_type="text/markdown",
    author="The blogcrawl authors",
    license="MIT",
    license_files=["LICENSE", "blogcrawl/web/static/uplot.LICENSE.txt"],
    keywords=(
        "web archiving, blogs, digital preservation, crawler, METS, MARCXML, PREMIS, WARC, OCFL"
    ),
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Console",
        "Framework :: Scrapy",
        "Intended Audience :: Education",
        "Intended Audience :: Science/Research",
        "Operating System :: POSIX",
        "Programming Language :: Python :: 3 :: Only",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Internet :: WWW/HTTP :: Indexing/Search",
        "Topic :: System :: Archiving",
    ],
    python_requires=">=3.11",
    packages=find_packages(include=["blogcrawl", "blogcrawl.*"]),
    # Everything beside the modules: tables, schemas, templates, the model. Read through
    # importlib.resources, so a zipped egg has them too.
    package_data={
        "": [
            "*.json",
            "*.toml",
            "*.sql",
            "*.xsd",
            "*.npz",
            "*.ftz",
            "*.md",
            "*.css",
            "*.js",
            "*.html",
            "*.svg",
            "*.txt",
            "*.xml",
            "py.typed",
            "*.pyi",
        ]
    },
    include_package_data=True,
    zip_safe=True,
    install_requires=REQUIRES,
    extras_require=EXTRAS,
    entry_points={
        "console_scripts": ["blogcrawl = blogcrawl.cli.main:run"],
        # Scrapyd finds a project's settings by this group; scrapyd-deploy's eggs carry it.
        "scrapy": ["settings = blogcrawl.settings"],
        # Extraction methods that BLOGCRAWL_METHODS can name; other packages add theirs.
        "blogcrawl.extractors": [
            "keypath = blogcrawl.contrib.keypath:KeyPaths",
            "metadata = blogcrawl.extraction.methods.metadata:MetadataExtractor",
            "series = blogcrawl.induction.series:SeriesExtractor",
            "mcst = blogcrawl.contrib.mcst:McstExtractor",
            "svm = blogcrawl.contrib.svm:SvmExtractor",
            "generic = blogcrawl.extraction.methods.generic:GenericExtractor",
        ],
    },
)
