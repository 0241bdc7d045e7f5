import pytest

from eaas_daemon.intake.names import accepted_name, is_meant, job_of


@pytest.mark.parametrize(
    "name", ["train.yaml", "train.yml", "TRAIN.YAML", "训练.yaml", "42.cancel", "m4.cancel"]
)
def test_job_files_and_orders_are_meant_for_the_folder(name: str) -> None:
    assert is_meant(name)


@pytest.mark.parametrize(
    "name",
    [
        ".train.yaml.swp",  # vim
        "train.yaml~",  # vim, nano, emacs
        "4913",  # vim tries whether it may write
        "#train.yaml#",  # emacs
        ".#train.yaml",  # emacs' lock, a link that leads nowhere
        "train.yaml___jb_tmp___",  # JetBrains
        "train.yaml___jb_old___",
        "sedB2mgjA",  # sed -i
        ".train.yaml.h3Fr2q",  # rsync
        "train.yaml.save",  # nano
        ".goutputstream-5RJ3L2",
        "~train.yaml",
        "42-train.yaml.status.yaml",
        "README.md",
        "accepted",
    ],
)
def test_what_editors_and_copying_programs_leave_is_not(name: str) -> None:
    assert not is_meant(name)


def test_an_accepted_file_tells_its_first_job() -> None:
    assert job_of(accepted_name(42, "7-train.yaml")) == 42


@pytest.mark.parametrize("name", ["42-train.yaml.status.yaml", "42-train.yaml.log", "42.cancel"])
def test_what_stands_beside_it_does_not(name: str) -> None:
    assert job_of(name) is None
